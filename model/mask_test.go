package model

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestMaskerWithPatternsOfOnesOwn(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ pattern, in, want string }{
		"a shape":             {`ACME-\d+`, "run ACME-123 and ACME-x", "run *** and ACME-x"},
		"a name":              {`DATABASE_URL`, "DATABASE_URL=db://host/x next", "DATABASE_URL=*** next"},
		"a name in JSON":      {`dsn`, `{"dsn": "db host"}`, `{"dsn": ***}`},
		"alternatives":        {`dsn|conn`, "conn=a dsn=b", "conn=*** dsn=***"},
		"groups of its own":   {`(x)(\d)`, "x1 y1", "*** y1"},
		"case matters":        {`dsn`, "DSN=a", "DSN=a"},
		"or not":              {`(?i)dsn`, "DSN=a", "DSN=***"},
		"an option":           {`dsn`, "run --db-dsn a --dsn=b c", "run --db-dsn *** --dsn=*** c"},
		"nothing to hide":     {`dsn`, "plain", "plain"},
		"the usual ones stay": {`dsn`, "API_TOKEN=a", "API_TOKEN=***"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			masker, err := NewMasker([]string{tt.pattern})
			if err != nil {
				t.Fatal(err)
			}
			if got := masker.Text(NewText(tt.in)).Raw(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMaskerHidesValuesOfNamesOfOnesOwn(t *testing.T) {
	t.Parallel()
	masker, err := NewMasker([]string{"dsn"})
	if err != nil {
		t.Fatal(err)
	}
	got := masker.Values(map[string]any{"dsn": "a", "args": []any{"--dsn", "b", "--dsn=d", "c"}})
	want := map[string]any{"dsn": "***", "args": []any{"--***", "***", "--dsn=***", "c"}}
	if plain := (Masker{}).Values(map[string]any{"dsn": "a"}).(map[string]any); plain["dsn"] != "a" {
		t.Errorf("without the pattern: %v", plain)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMaskerRefusesPatterns(t *testing.T) {
	t.Parallel()
	for name, pattern := range map[string]string{"broken": "a(", "matches everywhere": "x*", "empty": "", "closes our group": "a)(b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := NewMasker([]string{"fine", pattern})
			if !errors.Is(err, ErrMask) || !strings.Contains(err.Error(), pattern) {
				t.Errorf("%v", err)
			}
		})
	}
}
