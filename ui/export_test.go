package ui

import (
	"errors"
	"testing"
)

func TestExportSaysWhereTheFileIs(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		missing  []string
		err      error
		readOnly bool
		want     string
	}{
		"whole":     {want: "to /state/exports/hermes-aa55e0f1.tar"},
		"in part":   {missing: []string{"log.txt"}, want: "without 1 part named in it"},
		"failed":    {err: errors.New("no room"), want: "export of hermes-aa55e0f1: no room"},
		"read-only": {readOnly: true, want: "no file is written"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := watching(t, 200, 40, func(o *Options) { o.ReadOnly = tt.readOnly })
			l.insight.missing, l.insight.exportErr = tt.missing, tt.err
			l.goTo("hermes-aa55e0f1")
			l.press(":export<enter>").until(l.sees(tt.want))
		})
	}
}
