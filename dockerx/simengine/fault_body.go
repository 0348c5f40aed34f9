package simengine

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

// spoilBody changes a true body as the fault says.
func spoilBody(fault *Fault, body []byte) []byte {
	switch fault.Kind { //nolint:exhaustive // the others do not change the body
	case EmptyBody:
		return nil
	case NullBody:
		return []byte("null\n")
	case TypeSwap:
		if bytes.HasPrefix(body, []byte("[")) {
			return []byte("{}\n")
		}
		return []byte("[]\n")
	case TruncatedJSON:
		return body[:len(body)/2]
	case InvalidUTF8:
		return regexp.MustCompile(`("(?:Image|Command|Status|Name|name|message|Version|ServerVersion)":")`).ReplaceAll(body, []byte("${1}\xff\xfe\xc0"))
	case UnknownWords:
		return regexp.MustCompile(`"(State|Status|Driver|NetworkMode|Type|Action|OSType)":"[^"]*"`).ReplaceAll(body, []byte(`"$1":"quantum"`))
	case NullFields:
		return regexp.MustCompile(`"(Labels|Names|Mounts|Env|Options|Containers|Networks|Config|Attributes)":(?:\{[^{}]*\}|\[[^\[\]]*\])`).ReplaceAll(body, []byte(`"$1":null`))
	case DuplicateKeys:
		return regexp.MustCompile(`\{("(?:Id|Name|Type|ID|Hostname)":)`).ReplaceAll(body, []byte(`{"Id":"0","ID":"0","Name":"/other","State":"dead","Labels":null,$1`))
	case DeepNesting:
		levels := fault.Size
		if levels == 0 {
			levels = 100_000
		}
		return []byte(strings.Repeat("[", levels) + strings.Repeat("]", levels))
	}
	return body
}

// huge writes a body with that many blanks after its first byte.
func huge(w io.Writer, body []byte, size int) {
	if size == 0 {
		size = 100 << 20
	}
	first := min(1, len(body))
	if _, err := w.Write(body[:first]); err != nil {
		return
	}
	blanks := bytes.Repeat([]byte{' '}, 64<<10)
	for left := size; left > 0; left -= len(blanks) {
		if _, err := w.Write(blanks[:min(left, len(blanks))]); err != nil {
			return
		}
	}
	_, _ = w.Write(body[first:])
}
