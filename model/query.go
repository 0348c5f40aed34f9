package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// ErrBadQuery is wrapped by every error of [ParseQuery].
var ErrBadQuery = errors.New("filter not understood")

// Query is a parsed filter: terms that must all hold. The zero value matches
// everything.
//
//	word           part of the name, task, profile, session, image, engine or
//	               state, or the start of the ID
//	"a b"          the same with spaces; quotes also take the meaning from
//	               colons, flags and the exclamation mark
//	key:value      see [QueryKeys]; fixed values can be listed: state:exited,dead
//	age>2h age<3d  time since creation
//	idle>2h        time without a command in it; where that is only known to be
//	               at least so long, a longer one is not taken for granted
//	orphan         a flag, see [QueryFlags]
//	!term          the opposite of any of these
//
// Letter case does not matter.
type Query struct {
	terms []term
}

// term is one condition of a query.
type term struct {
	negate bool
	holds  func(s *Sandbox, engineNow time.Time) bool
}

// Empty reports whether the query has no condition.
func (q Query) Empty() bool { return len(q.terms) == 0 }

// Match reports whether a sandbox satisfies all terms. The time is the
// engine's (see [Engine.Now]); only age and idle terms look at it.
func (q Query) Match(s *Sandbox, engineNow time.Time) bool {
	for _, t := range q.terms {
		if t.holds(s, engineNow) == t.negate {
			return false
		}
	}
	return true
}

// ParseQuery reads a filter strictly: an unknown key or value, an age without
// a unit or an open quote is an error that wraps [ErrBadQuery] and names what
// would be known.
func ParseQuery(text string) (Query, error) {
	var query Query
	tokens, closed := splitQuery(text)
	if !closed {
		return Query{}, fmt.Errorf("%w: a quote is not closed", ErrBadQuery)
	}
	for _, token := range tokens {
		parsed, problem := parseToken(token, false)
		if problem != "" {
			return Query{}, fmt.Errorf("%w: %s", ErrBadQuery, problem)
		}
		query.terms = append(query.terms, parsed)
	}
	return query, nil
}

// ParseQueryLenient reads a filter while it is being typed and never fails. A
// term whose value is still missing is left out; the beginning of a known
// value stands for all values that begin so; an unknown key or value matches
// nothing, and the problems say which.
func ParseQueryLenient(text string) (Query, []string) {
	var (
		query    Query
		problems []string
	)
	tokens, _ := splitQuery(text)
	for _, token := range tokens {
		if token.unfinished() {
			continue
		}
		parsed, problem := parseToken(token, true)
		if problem != "" {
			problems = append(problems, problem)
			parsed = term{holds: func(*Sandbox, time.Time) bool { return false }}
		}
		query.terms = append(query.terms, parsed)
	}
	return query, problems
}

// queryToken is one term as it was typed, without its quotes.
type queryToken struct {
	text string
	bare int // how many leading bytes stood outside quotes
}

// splitQuery cuts a filter at white space outside quotes. The second result is
// false when the last quote is not closed.
func splitQuery(text string) ([]queryToken, bool) {
	var (
		tokens        []queryToken
		current       strings.Builder
		bare          = -1
		quoted, began bool
	)
	finish := func() {
		if !began {
			return
		}
		if bare < 0 {
			bare = current.Len()
		}
		tokens = append(tokens, queryToken{current.String(), bare})
		current.Reset()
		bare, began = -1, false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			if bare < 0 {
				bare = current.Len()
			}
			quoted, began = !quoted, true
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			finish()
		default:
			current.WriteByte(c)
			began = true
		}
	}
	finish()
	return tokens, !quoted
}

// unfinished reports whether the token is one whose value is still to come.
func (t queryToken) unfinished() bool {
	t = t.withoutNegation()
	if _, _, value, ok := durationTerm(t); ok {
		_, err := ParseAge(value + "s") // only the unit is missing
		return value == "" || err == nil
	}
	if key, value, ok := t.keyed(); ok {
		return value == "" && slices.Contains(QueryKeys(), strings.ToLower(key))
	}
	return t.text == ""
}

// negated reports whether the token begins with an unquoted exclamation mark.
func (t queryToken) negated() bool { return t.bare > 0 && t.text[0] == '!' }

func (t queryToken) withoutNegation() queryToken {
	if t.negated() {
		return queryToken{t.text[1:], t.bare - 1}
	}
	return t
}

// keyed splits key:value at the first colon outside quotes.
func (t queryToken) keyed() (key, value string, ok bool) {
	at := strings.IndexByte(t.text[:t.bare], ':')
	if at < 0 {
		return "", "", false
	}
	return t.text[:at], t.text[at+1:], true
}

// parseToken turns a token into a term, or says why it cannot.
func parseToken(token queryToken, lenient bool) (term, string) {
	negate := token.negated()
	token = token.withoutNegation()
	if word, operator, value, ok := durationTerm(token); ok {
		holds, problem := durationCondition(word, operator, value)
		return term{negate, holds}, problem
	}
	if key, value, ok := token.keyed(); ok {
		holds, problem := keyCondition(strings.ToLower(key), value, lenient)
		return term{negate, holds}, problem
	}
	word := strings.ToLower(token.text)
	if word == "" {
		return term{}, "a term is empty"
	}
	if flag := flagCondition(word); flag != nil && token.bare == len(token.text) {
		return term{negate, flag}, ""
	}
	return term{negate, func(s *Sandbox, _ time.Time) bool { return s.hasWord(word) }}, ""
}
