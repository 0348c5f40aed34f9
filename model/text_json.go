package model

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// MarshalJSON encodes a value as indented or compact JSON whose strings hold no
// raw C0, C1, bidi or zero-width character: they are written as \uXXXX, so the
// output is safe on a terminal and still decodes to the same value.
func MarshalJSON(value any, indent bool) ([]byte, error) {
	var (
		data []byte
		err  error
	)
	if indent {
		data, err = json.MarshalIndent(value, "", "  ")
	} else {
		data, err = json.Marshal(value)
	}
	if err != nil {
		return nil, fmt.Errorf("encode JSON: %w", err)
	}
	return escapeJSON(data), nil
}

// escapeJSON rewrites non-printable code points of an encoded document. They
// can only stand inside strings, where \uXXXX means the same.
func escapeJSON(data []byte) []byte {
	out := make([]byte, 0, len(data)+16)
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r < 0x7f || Printable(r):
			out = append(out, data[i:i+size]...)
		case r <= 0xffff:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			high := (r-0x10000)>>10 + 0xd800
			low := (r-0x10000)&0x3ff + 0xdc00
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		i += size
	}
	return out
}
