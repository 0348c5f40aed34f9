package config

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// dotEnvKey matches the start of an assignment in a .env file.
var dotEnvKey = regexp.MustCompile(`^[ \t]*(?:export[ \t]+)?('[^']+'|[^=#\s]+)[ \t]*=[ \t]*`)

// parseDotEnv reads a .env file the way Hermes' loader does: optional export,
// single quotes literal, double quotes with escapes, both over several lines,
// comments after a blank, the last of two assignments wins. Lines that are no
// assignment are skipped. References to other variables are expanded except in
// single quotes; later lines see earlier ones.
func parseDotEnv(data []byte, env environment) environment {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if !utf8.ValidString(text) {
		text = latin1(text)
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	out := environment{}
	for text != "" {
		match := dotEnvKey.FindStringSubmatchIndex(text)
		if match == nil {
			text = nextLine(text)
			continue
		}
		key := strings.Trim(text[match[2]:match[3]], "'")
		value, literal, rest := dotEnvValue(text[match[1]:])
		text = rest
		if !literal {
			value = expand(value, func(name string) (string, bool) {
				if value, ok := out[name]; ok {
					return value, true
				}
				return env[name], true
			}).text
		}
		out[key] = value
	}
	return out
}

// dotEnvValue reads a value and returns what follows its line. Literal values
// are not expanded.
func dotEnvValue(text string) (value string, literal bool, rest string) {
	if text != "" && (text[0] == '\'' || text[0] == '"') {
		if end := closingQuote(text); end > 0 {
			return unescapeDotEnv(text[1:end], text[0]), text[0] == '\'', nextLine(text[end+1:])
		}
	}
	line, rest, _ := strings.Cut(text, "\n")
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t') {
			line = line[:i]
			break
		}
	}
	return strings.TrimRight(line, " \t"), false, rest
}

// closingQuote returns the index of the quote that ends a quoted value, 0 when
// there is none.
func closingQuote(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i
		}
	}
	return 0
}

func unescapeDotEnv(text string, quote byte) string {
	if quote == '\'' {
		return strings.NewReplacer(`\\`, `\`, `\'`, `'`).Replace(text)
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\'`, `'`, `\n`, "\n", `\r`, "\r", `\t`, "\t",
		`\a`, "\a", `\b`, "\b", `\f`, "\f", `\v`, "\v").Replace(text)
}

func nextLine(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}

// latin1 reads each byte as one character, Hermes' fallback for files that are
// no UTF-8.
func latin1(text string) string {
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}

// reference matches ${NAME} and ${env:NAME}.
var reference = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}`)

// expansion is a text with its references replaced.
type expansion struct {
	text string
	// missing names the references without a value; they stay as written.
	missing []string
}

// expand replaces ${NAME} and ${env:NAME} by their values (contract 5.1).
func expand(text string, value func(name string) (string, bool)) expansion {
	out := expansion{}
	out.text = reference.ReplaceAllStringFunc(text, func(match string) string {
		name := reference.FindStringSubmatch(match)[1]
		found, ok := value(name)
		if !ok {
			out.missing = append(out.missing, name)
			return match
		}
		return found
	})
	return out
}
