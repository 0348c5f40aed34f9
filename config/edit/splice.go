package edit

import (
	"bytes"
	"slices"

	"hermes-sandbox/config/hermesyaml"
)

// splice replaces the bytes from start to end.
type splice struct {
	start, end int
	text       string
}

// apply carries out splices that do not overlap.
func apply(data []byte, splices []splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int { return a.start - b.start })
	var out bytes.Buffer
	at := 0
	for _, s := range splices {
		out.Write(data[at:s.start])
		out.WriteString(s.text)
		at = s.end
	}
	out.Write(data[at:])
	return out.Bytes()
}

// candidate is one way to make a change.
type candidate []splice

// text is a file's bytes with an index of its lines.
type text struct{ hermesyaml.Text }

func newText(data []byte) text { return text{hermesyaml.NewText(data)} }
