package model

import (
	"strings"
	"time"
)

// durationTerm splits age>2h, idle<=3d and their like.
func durationTerm(token queryToken) (word, operator, value string, ok bool) {
	for _, word := range []string{"age", "idle"} {
		rest, found := strings.CutPrefix(strings.ToLower(token.text), word)
		if !found || token.bare <= len(word) {
			continue
		}
		for _, operator := range []string{">=", "<=", ">", "<"} {
			if value, found := strings.CutPrefix(rest, operator); found {
				return word, operator, value, true
			}
		}
	}
	return "", "", "", false
}

// durationCondition returns the condition of a duration term, or why there is
// none. What is not known satisfies none.
func durationCondition(word, operator, value string) (func(*Sandbox, time.Time) bool, string) {
	limit, err := ParseAge(value)
	if err != nil {
		return nil, word + operator + NewText(value).Display() + " needs a number with s, m, h, d or w, such as " + word + ">2h"
	}
	longer := strings.HasPrefix(operator, ">")
	return func(s *Sandbox, engineNow time.Time) bool {
		age, known := s.Age(engineNow)
		if word == "idle" {
			age, known = s.Idle.For(engineNow)
			known = known && (longer || !s.Idle.AtLeast)
		}
		if !known {
			return false
		}
		switch operator {
		case ">":
			return age > limit
		case ">=":
			return age >= limit
		case "<":
			return age < limit
		default:
			return age <= limit
		}
	}, ""
}
