package model

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func querySandbox() Sandbox {
	return workSandbox("3f2a91c0", inState(StateRunning), func(s *Sandbox) {
		s.Task, s.Image = NewText("session_cli"), NewText("nousresearch/hermes-sandbox:desktop")
		s.Session = Session{ID: NewText("20260610_161415"), Title: NewText("Fix the Parser"), State: SessionIdle}
		s.Scope, s.Stranded, s.Violation = ScopeSession, true, pointer(true)
		s.Posture = Posture{Level: LevelShared, Effective: LevelOpen, Drifted: true}
		s.Networks.Endpoints = []Endpoint{{Network: NewText("bridge")}}
		s.Findings = []Finding{{Code: "cap-add", Severity: SeverityVoid}}
		s.Labels[NewText("team")] = NewText("a\u200bb")
	})
}

func TestQueryMatches(t *testing.T) {
	matching := []string{
		"", "   ", "3F2A", "hermes-3f2", "work", "session_cli", "parser", "161415", "desktop", "running", "local",
		`"fix the"`, "fix parser", "!exited", "state:running", "STATE:Running", "state:exited,running", "posture:open",
		"posture:shared,open", "profile:WORK", "profile:wo", "task:cli", "session:parser", "session:idle", `session:"the parser"`,
		"image:hermes-sandbox:desktop", "network:bridge", "network:none", "engine:loc", "scope:session",
		"generation:g4", "reuse:reused", "reap:spared", "reap:not-exited", "finding:cap-add", "finding:void",
		"id:3f2a", "name:hermes-", "label:team=", `label:a\u200b`, "label:a\u200bb", "age>2h", "age<1d", "age>=3h", "age<=3h",
		"!age>4h", "stranded", "violation", "drifted", "!orphan", "!foreign", "!latched", "!inherited", "!state:exited",
		`!"orphan"`, "stranded state:running posture:open",
	}
	failing := []string{
		"zzz", "!work", "state:exited", "posture:shared", "posture:air-gapped", "profile:home", "orphan", "!stranded",
		"age>3h", "age<3h", "age>4h", `"stranded"`, "id:91c0", "91c0000", "foreign", "work zzz", "label:nope",
		`"state:running"`, "finding:weak", "reap:reaped", "network:other",
	}
	s := querySandbox()
	check := func(texts []string, want bool) {
		for _, text := range texts {
			query, err := ParseQuery(text)
			if err != nil {
				t.Errorf("ParseQuery(%q): %v", text, err)
				continue
			}
			if got := query.Match(&s, planNow()); got != want {
				t.Errorf("%q matches: %v, want %v", text, got, want)
			}
			lenient, problems := ParseQueryLenient(text)
			if len(problems) > 0 || lenient.Match(&s, planNow()) != want {
				t.Errorf("%q is read another way while typing: %v", text, problems)
			}
		}
	}
	check(matching, true)
	check(failing, false)
}

func TestQueryRefusals(t *testing.T) {
	cases := map[string]struct{ text, names string }{
		"unknown key":        {"colour:red", "posture"},
		"unknown value":      {"posture:closed", "air-gapped"},
		"one of two values":  {"state:running,gone", "restarting"},
		"start of a value":   {"posture:op", "open"},
		"second value":       {"state:running,", "restarting"},
		"no value":           {"state:", "no value"},
		"no value for text":  {"profile:", "no value"},
		"age without a unit": {"age>2", "such as age>2h"},
		"age without value":  {"age<", "such as age>2h"},
		"age of words":       {"age>soon", "such as age>2h"},
		"open quote":         {`"fix the`, "quote"},
		"nothing to negate":  {"work !", "empty"},
		"empty quotes":       {`""`, "empty"},
		"control characters": {"posture:\x1b[2J", `\x1b[2j`},
		"image with a colon": {"python:3.11", "quotes"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := ParseQuery(c.text)
			if !errors.Is(err, ErrBadQuery) || !strings.Contains(err.Error(), c.names) {
				t.Errorf("ParseQuery(%q) = %v, want it to name %q", c.text, err, c.names)
			}
			if err != nil && strings.ContainsRune(err.Error(), '\x1b') {
				t.Error("the error holds a control character")
			}
		})
	}
}

func TestQueryWhileTyping(t *testing.T) {
	cases := map[string]struct {
		text    string
		matches bool
		problem string
	}{
		"key without value":   {"state:", true, ""},
		"negated key":         {"!state:", true, ""},
		"start of a value":    {"posture:op", true, ""},
		"start of another":    {"posture:air", false, ""},
		"age without value":   {"age>", true, ""},
		"age without a unit":  {"age>2", true, ""},
		"lone negation":       {"work !", true, ""},
		"open quote":          {`"fix the`, true, ""},
		"empty quotes":        {`""`, true, ""},
		"unknown key":         {"colour:red", false, "colour"},
		"unknown key negated": {"!colour:", false, "colour"},
		"unknown value":       {"posture:closed", false, "closed"},
		"age of words":        {"age>soon", false, "age>soon"},
		"age of a unit":       {"age>h", false, "age>h"},
		"age half mixed":      {"age>9h3", true, ""},
		"second value":        {"state:running,", true, ""},
		"second value begun":  {"state:exited,ru", true, ""},
		"only a comma":        {"state:,", false, ""},
	}
	s := querySandbox()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			query, problems := ParseQueryLenient(c.text)
			if query.Match(&s, planNow()) != c.matches {
				t.Errorf("%q matches: %v, want %v", c.text, !c.matches, c.matches)
			}
			if joined := strings.Join(problems, "; "); (c.problem == "") != (joined == "") || !strings.Contains(joined, c.problem) {
				t.Errorf("%q has problems %q, want %q", c.text, joined, c.problem)
			}
		})
	}
}

func TestUnknownAgeMatchesNoAge(t *testing.T) {
	s := workSandbox("aa", func(s *Sandbox) { s.CreatedAt = Stamp{} })
	for _, text := range []string{"age>1s", "age<1d"} {
		if query, _ := ParseQuery(text); query.Match(&s, planNow()) {
			t.Errorf("%q matches a sandbox of unknown age", text)
		}
	}
}

func TestQueryValuesAreKnown(t *testing.T) {
	for _, key := range QueryKeys() {
		for _, value := range QueryValues(key) {
			if _, err := ParseQuery(key + ":" + value); err != nil {
				t.Errorf("%s:%s: %v", key, value, err)
			}
		}
	}
	for _, flag := range QueryFlags() {
		if flagCondition(flag) == nil {
			t.Errorf("flag %s has no condition", flag)
		}
	}
	if QueryValues("name") != nil {
		t.Error("names have fixed values")
	}
}

func TestParseAge(t *testing.T) {
	cases := map[string]struct {
		text string
		want time.Duration
		fail bool
	}{
		"seconds":   {"45s", 45 * time.Second, false},
		"mixed":     {"1h30m", 90 * time.Minute, false},
		"days":      {"2d12h", 60 * time.Hour, false},
		"weeks":     {"1w", 168 * time.Hour, false},
		"zero":      {"0s", 0, false},
		"no unit":   {"10", 0, true},
		"no number": {"h", 0, true},
		"negative":  {"-1h", 0, true},
		"fraction":  {"1.5h", 0, true},
		"unit":      {"3y", 0, true},
		"empty":     {"", 0, true},
		"too long":  {"99999999999999w", 0, true},
		"sum":       {"15250w7d9999999h", 0, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ParseAge(c.text)
			if got != c.want || (err != nil) != c.fail || c.fail && !errors.Is(err, ErrBadAge) {
				t.Errorf("ParseAge(%q) = %v, %v", c.text, got, err)
			}
		})
	}
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"", "work !exited", `state:running,dead "a b`, `!"x`, "age>2h", "age>=", "colour:x", "!", "\xff:\x1b", `a"b:c"d`} {
		f.Add(seed)
	}
	s := querySandbox()
	f.Fuzz(func(t *testing.T, text string) {
		lenient, problems := ParseQueryLenient(text)
		matches := lenient.Match(&s, planNow())
		for _, problem := range problems {
			checkPrintable(t, problem)
		}
		strict, err := ParseQuery(text)
		if err != nil {
			checkPrintable(t, err.Error())
			return
		}
		if len(problems) > 0 || strict.Match(&s, planNow()) != matches {
			t.Errorf("%q is good, yet while typing it gives %v and matches %v", text, problems, matches)
		}
	})
}

func FuzzParseAge(f *testing.F) {
	for _, seed := range []string{"", "1h30m", "9223372036s", "1w1", "99999999999999999999s"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		age, err := ParseAge(text)
		if age < 0 || err != nil && age != 0 {
			t.Errorf("ParseAge(%q) = %v, %v", text, age, err)
		}
	})
}

func TestEmptyQuery(t *testing.T) {
	query, err := ParseQuery(" \t")
	if err != nil || !query.Empty() || !slices.Contains(QueryKeys(), "posture") {
		t.Errorf("blank filter: %v, empty %v", err, query.Empty())
	}
}
