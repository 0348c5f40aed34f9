package dockerx

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// field is one member of a JSON object. Its parts lie in the answer itself, so
// that reading a few fields of many costs nothing for the others.
type field struct {
	name []byte // decoded
	raw  []byte
}

// split returns the members of an object in their order, repeated ones included,
// and whether the value is an object. The data must be valid JSON, which one
// check of the whole answer sees to.
func (r *reading) split(data []byte) ([]field, bool) {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 || data[0] != '{' {
		return nil, false
	}
	begin := len(r.store)
	for at := next(data, 1); data[at] == '"'; {
		end := valueEnd(data, at)
		name := textBytes(data[at:end])
		at = next(data, next(data, end)+1) // past the colon
		end = valueEnd(data, at)
		r.store = append(r.store, field{name, data[at:end]})
		if at = next(data, end); data[at] == ',' {
			at = next(data, at+1)
		}
	}
	return r.store[begin:len(r.store):len(r.store)], true
}

// splitList returns the items of a list, and whether the value is one.
func splitList(data []byte) ([][]byte, bool) {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 || data[0] != '[' {
		return nil, false
	}
	var items [][]byte
	for at := next(data, 1); data[at] != ']'; {
		end := valueEnd(data, at)
		items = append(items, data[at:end])
		if at = next(data, end); data[at] == ',' {
			at = next(data, at+1)
		}
	}
	return items, true
}

// next skips white space.
func next(data []byte, at int) int {
	for data[at] == ' ' || data[at] == '\n' || data[at] == '\t' || data[at] == '\r' {
		at++
	}
	return at
}

// valueEnd returns where the value ends that begins at a place.
func valueEnd(data []byte, at int) int {
	switch data[at] {
	case '"':
		return stringEnd(data, at)
	case '{', '[':
		depth := 0
		for ; ; at++ {
			switch data[at] {
			case '"':
				at = stringEnd(data, at) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
		}
	}
	for at < len(data) && !slices.Contains([]byte(",]} \t\r\n"), data[at]) {
		at++
	}
	return at
}

func stringEnd(data []byte, at int) int {
	for at++; data[at] != '"'; at++ {
		if data[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// textBytes decodes a JSON string.
func textBytes(raw []byte) []byte {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner
	}
	var text string
	_ = json.Unmarshal(raw, &text) // a valid string always decodes
	return []byte(text)
}
