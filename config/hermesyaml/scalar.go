package hermesyaml

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Kind is the type YAML 1.1 gives a scalar.
type Kind int

// Kinds of scalars.
const (
	String Kind = iota
	Null
	Bool
	Int
	Float
)

// Scalar is a YAML scalar as Hermes' loader reads it: Text is what Python's
// str() makes of the value, since that is what travels to the tools (contract
// 5.1).
type Scalar struct {
	Kind   Kind
	Text   string
	Quoted bool // quoted or tagged as a string, so not subject to YAML 1.1's words
}

var (
	intPattern   = regexp.MustCompile(`^[-+]?(?:0b[0-1_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)$`)
	floatPattern = regexp.MustCompile(`^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?)$`)
	specialFloat = regexp.MustCompile(`^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$`)
)

// ScalarOf reads a scalar node by YAML 1.1. Other nodes give an empty string.
func ScalarOf(node *yaml.Node) Scalar {
	node = Resolve(node)
	if node.Kind != yaml.ScalarNode {
		return Scalar{}
	}
	const quotes = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	tagged := node.Style&yaml.TaggedStyle != 0
	if tagged && node.ShortTag() == "!!str" || !tagged && node.Style&quotes != 0 {
		return Scalar{Text: node.Value, Quoted: true}
	}
	if tagged && node.ShortTag() != "!!bool" && node.ShortTag() != "!!int" && node.ShortTag() != "!!null" &&
		node.ShortTag() != "!!float" {
		return Scalar{Text: node.Value, Quoted: true}
	}
	return PlainScalar(node.Value)
}

// PlainScalar resolves an unquoted scalar by YAML 1.1's rules.
func PlainScalar(value string) Scalar {
	switch value {
	case "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return Scalar{Kind: Bool, Text: "True"}
	case "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return Scalar{Kind: Bool, Text: "False"}
	case "", "~", "null", "Null", "NULL":
		return Scalar{Kind: Null, Text: "None"}
	}
	if intPattern.MatchString(value) {
		if number, ok := parseInt11(value); ok {
			return Scalar{Kind: Int, Text: number.String()}
		}
	}
	if floatPattern.MatchString(value) || specialFloat.MatchString(value) {
		return Scalar{Kind: Float, Text: floatText(value)}
	}
	return Scalar{Text: value}
}

// parseInt11 reads a YAML 1.1 integer: a leading 0 is octal, colons are base
// 60, underscores are ignored.
func parseInt11(value string) (*big.Int, bool) {
	value = strings.ReplaceAll(value, "_", "")
	negative := strings.HasPrefix(value, "-")
	value = strings.TrimLeft(value, "+-")
	number, ok := new(big.Int), true
	switch {
	case value == "0":
	case strings.HasPrefix(value, "0b"):
		_, ok = number.SetString(value[2:], 2)
	case strings.HasPrefix(value, "0x"):
		_, ok = number.SetString(value[2:], 16)
	case strings.HasPrefix(value, "0"):
		_, ok = number.SetString(value[1:], 8)
	default:
		for _, part := range strings.Split(value, ":") {
			digits, valid := new(big.Int).SetString(part, 10)
			if !valid {
				return nil, false
			}
			number.Mul(number, big.NewInt(60)).Add(number, digits)
		}
	}
	if negative {
		number.Neg(number)
	}
	return number, ok
}

// floatText writes a float as Python's str() does.
func floatText(value string) string {
	lower := strings.ToLower(strings.ReplaceAll(value, "_", ""))
	switch strings.TrimPrefix(lower, "+") {
	case ".inf":
		return "inf"
	case "-.inf":
		return "-inf"
	case ".nan":
		return "nan"
	}
	number, err := strconv.ParseFloat(lower, 64)
	if err != nil {
		return value
	}
	if size := math.Abs(number); number != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(number, 'e', -1, 64)
	}
	text := strconv.FormatFloat(number, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// Falsy reports whether Python would take the value as false, which is how
// the proxy section's booleans are read (contract 5.2).
func Falsy(s Scalar) bool {
	switch s.Kind {
	case Null:
		return true
	case Bool:
		return s.Text == "False"
	case Int:
		return s.Text == "0"
	case Float:
		return s.Text == "0.0" || s.Text == "-0.0"
	case String:
	}
	return s.Text == ""
}

// Truthy reads a terminal boolean as Hermes does: "true", "1" and "yes" in any
// case, everything else is false, "on" and the empty text included (contract
// 5.2).
func Truthy(text string) bool {
	switch strings.ToLower(text) {
	case "true", "1", "yes":
		return true
	}
	return false
}
