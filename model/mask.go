package model

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Parts of the patterns of secrets.
const (
	secretName  = `(?:[\w.-]*(?:token|secret|passw(?:or)?d|passphrase|pwd|api[_-]?key|access[_-]?key|private[_-]?key|credential|[a-z0-9][_-]auth|cookie)[\w.-]*)` //nolint:gosec // a pattern, no credential
	secretValue = `(?:"(?:\\.|[^"\\])*"?|'[^']*'?|[^\s'"&;|<>)]+)`                                                                                                //nolint:gosec // a pattern, no credential
)

// secretPatterns are those of secrets in command lines: what stays, then the
// secret.
type secretPatterns struct {
	names, blocks, header, option, assign, login, url, shape *regexp.Regexp
}

// secrets compiles the patterns when they are needed for the first time, so that
// no start waits for them.
var secrets = sync.OnceValue(func() *secretPatterns { //nolint:gochecknoglobals // as constant as a pattern compiled at the start
	return &secretPatterns{
		names:  regexp.MustCompile(`(?i)^` + secretName + `$`),
		blocks: regexp.MustCompile(`(?s)(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END [A-Z ]*PRIVATE KEY-----|$)`),
		header: regexp.MustCompile(`(?i)\b((?:proxy-)?authorization\s*[:=]\s*(?:(?:bearer|basic|token)\s+)?|bearer\s+|(?:x-[\w-]*(?:token|key|auth|secret)[\w-]*|cookie)\s*:\s*)([^\s'"]+)`),
		option: regexp.MustCompile(`(?i)((?:^|[\s'"])--?` + secretName + `(?:=|\s+))(` + secretValue + `)`),
		assign: regexp.MustCompile(`(?i)(\b` + secretName + `["']?\s*[=:]\s*)(` + secretValue + `)`),
		login:  regexp.MustCompile(`((?:^|\s)(?:-u|--user|--proxy-user)[\s=]*["']?[^\s:'"]+:)([^\s'"]+)`),
		url:    regexp.MustCompile(`(\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/@:'"]*:)([^\s/@'"]+)(@)`),
		shape:  regexp.MustCompile(`\b(?:sk-[\w-]{8,}|(?:ghp|gho|ghs|ghu|ghr)_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{12,}|xox[abeoprs]-[\w-]{8,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|hf_\w{16,}|npm_\w{20,}|pypi-[\w-]{20,}|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)`),
	}
})

// ErrMask is wrapped by errors about patterns of secrets.
var ErrMask = errors.New("pattern of secrets refused")

// Masker hides secrets. The zero one knows the usual shapes of them.
type Masker struct {
	own []*regexp.Regexp
}

// NewMasker returns a masker that hides more than the usual: what the patterns,
// regular expressions in Go's syntax, match. An option, and a match with = or :,
// before a value are taken for names, and the value is hidden; any other match
// is hidden itself. Errors wrap [ErrMask] and name the pattern.
func NewMasker(patterns []string) (Masker, error) {
	var m Masker
	for _, pattern := range patterns {
		alone, err := regexp.Compile(pattern)
		if err != nil {
			return Masker{}, fmt.Errorf("%w: %s: %s", ErrMask, NewText(pattern), NewText(err.Error()))
		}
		if alone.MatchString("") {
			return Masker{}, fmt.Errorf("%w: %s matches everywhere", ErrMask, NewText(pattern))
		}
		named := `(?:^|[\s'"])--?[\w.-]*(?:` + pattern + `)[\w.-]*(?:=|\s+)|(?:` + pattern + `)["']?\s*[=:]\s*`
		whole, err := regexp.Compile(`(` + named + `)` + secretValue + `|(?:` + pattern + `)`)
		if err != nil { // such as too large a repetition
			return Masker{}, fmt.Errorf("%w: %s: %s", ErrMask, NewText(pattern), NewText(err.Error()))
		}
		m.own = append(m.own, whole)
	}
	return m, nil
}

// Text hides what looks like a secret in free text, such as a command line or a
// log: values of names that speak of secrets, authorization headers, passwords
// in addresses and tokens of well-known shapes. It is a help against shoulders,
// not a proof: a secret that looks like nothing stays.
func (m Masker) Text(text Text) Text {
	raw := text.Raw()
	for _, own := range m.own {
		raw = maskOwn(own, raw)
	}
	known := secrets()
	raw = known.blocks.ReplaceAllString(raw, "${1}"+maskedValue+"${2}")
	raw = known.header.ReplaceAllString(raw, "${1}"+maskedValue)
	raw = known.option.ReplaceAllString(raw, "${1}"+maskedValue)
	raw = known.assign.ReplaceAllString(raw, "${1}"+maskedValue)
	raw = known.login.ReplaceAllString(raw, "${1}"+maskedValue)
	raw = known.url.ReplaceAllString(raw, "${1}"+maskedValue+"${3}")
	raw = known.shape.ReplaceAllString(raw, maskedValue)
	return NewText(raw)
}

// maskOwn hides what a pattern of [NewMasker] matches.
func maskOwn(own *regexp.Regexp, raw string) string {
	var out strings.Builder
	end := 0
	for _, at := range own.FindAllStringSubmatchIndex(raw, -1) {
		out.WriteString(raw[end:at[0]])
		if at[2] >= 0 {
			out.WriteString(raw[at[2]:at[3]])
		}
		out.WriteString(maskedValue)
		end = at[1]
	}
	return out.String() + raw[end:]
}

// speaks reports whether a name says that its value is a secret.
func (m Masker) speaks(name string) bool {
	return secrets().names.MatchString(name) || slices.ContainsFunc(m.own, func(own *regexp.Regexp) bool { return own.MatchString(name) })
}

// Values hides secrets in a decoded JSON document, in place where it can, and
// returns it: all values of environment lists, texts under names that speak of
// secrets, and what [Masker.Text] finds in every other text.
func (m Masker) Values(document any) any {
	switch value := document.(type) {
	case map[string]any:
		for name, inner := range value {
			_, text := inner.(string)
			switch {
			case strings.EqualFold(name, "env"):
				value[name] = m.maskEnvironment(inner)
			case text && m.speaks(name):
				value[name] = maskedValue
			default:
				value[name] = m.Values(inner)
			}
		}
	case []any:
		var before any
		for i, item := range value {
			option := m.optionName(before)
			before = item
			if option {
				if _, text := value[i].(string); text {
					value[i] = maskedValue
					continue
				}
			}
			value[i] = m.Values(value[i])
		}
	case string:
		return m.Text(NewText(value)).Raw()
	}
	return document
}

// maskEnvironment hides the values of a list of NAME=value entries.
func (m Masker) maskEnvironment(list any) any {
	entries, ok := list.([]any)
	if !ok {
		return m.Values(list)
	}
	for i, entry := range entries {
		if text, ok := entry.(string); ok {
			entries[i] = MaskEnv([]Text{NewText(text)})[0].Raw()
		}
	}
	return entries
}

// optionName reports whether a word of a command line is an option whose
// value is the next word and a secret.
func (m Masker) optionName(word any) bool {
	text, ok := word.(string)
	name := strings.TrimLeft(text, "-")
	return ok && name != text && !strings.Contains(name, "=") && m.speaks(name)
}
