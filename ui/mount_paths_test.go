package ui

import (
	"testing"

	"hermes-sandbox/model"
)

func TestMountsSayWhatTheHostHas(t *testing.T) {
	t.Parallel()
	source := text("/srv/data")
	cases := map[string]struct {
		exists map[model.Text]bool
		remote bool
		want   string
	}{
		"there":              {exists: map[model.Text]bool{source: true}, want: "exists"},
		"gone":               {exists: map[model.Text]bool{source: false}, want: "missing"},
		"not to be seen":     {want: "looked"},
		"on another machine": {remote: true, want: "another"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := watching(t, 200, 40, nil)
			l.insight.exists, l.insight.remote = tt.exists, tt.remote
			fleet := smallFleet()
			for i := range fleet.Sandboxes {
				s := &fleet.Sandboxes[i]
				s.Home = "/home/u/.hermes"
				s.Mounts = []model.Mount{{Type: text("bind"), Source: source, Destination: text("/data")}, {Type: text("volume"), Name: text("v"), Destination: text("/v")}}
			}
			l.send(FleetMsg{Fleet: fleet})
			l.goTo("hermes-aa55e0f1")
			l.press("8").until(l.sees(tt.want))
			l.reads([]string{"/data, read-only"}, []string{"/v, read-only"})
		})
	}
}
