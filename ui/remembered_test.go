package ui

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/ui/theme"
)

func TestTheLookIsRemembered(t *testing.T) {
	t.Parallel()
	kept := Look{Group: "posture", Sort: "-age", Theme: theme.Light, Wide: true}
	cases := map[string]struct {
		options Options
		keys    string
		starts  Look
		ends    Look
	}{
		"nothing yet":           {Options{}, "", Look{Group: "profile", Sort: "name", Theme: theme.Auto}, Look{}},
		"chosen by keys":        {Options{}, "sSvw", Look{Group: "profile", Sort: "name", Theme: theme.Auto}, Look{Group: "posture", Sort: "-task", Wide: true}},
		"as it was left":        {Options{Remembered: kept}, "", kept, kept},
		"one thing changed":     {Options{Remembered: kept}, "w", kept, Look{Group: "posture", Sort: "-age", Theme: theme.Light}},
		"options win":           {Options{Remembered: kept, Group: "state", Sort: "image"}, "", Look{Group: "state", Sort: "image", Theme: theme.Light, Wide: true}, kept},
		"columns that are set":  {Options{Remembered: kept, Columns: []string{"state"}}, "", Look{Group: "posture", Sort: "-age", Theme: theme.Light}, kept},
		"without colour":        {Options{Remembered: kept, NoColor: true}, "T", Look{Group: "posture", Sort: "-age", Theme: theme.Monochrome, Wide: true}, kept},
		"of another version":    {Options{Remembered: Look{Group: "moon", Sort: "-luck", Theme: "neon"}}, "", Look{Group: "profile", Sort: "name", Theme: theme.Auto}, Look{}},
		"back to where it was":  {Options{}, "ww", Look{Group: "profile", Sort: "name", Theme: theme.Auto}, Look{}},
		"another theme is kept": {Options{}, "T", Look{Group: "profile", Sort: "name", Theme: theme.Auto}, Look{Theme: theme.Dark}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := shown(t, 120, 40, smallFleet(), func(o *Options) {
				backend := o.Backend
				*o = c.options
				o.Backend, o.Now = backend, noon
			})
			if diff := cmp.Diff(c.starts, s.m.look()); diff != "" {
				t.Errorf("it starts otherwise (-want +got):\n%s", diff)
			}
			s.press(c.keys)
			if diff := cmp.Diff(c.ends, s.m.Look()); diff != "" {
				t.Errorf("it is kept otherwise (-want +got):\n%s", diff)
			}
		})
	}
}
