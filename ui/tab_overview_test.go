package ui

import (
	"testing"
	"time"

	"hermes-sandbox/model"
)

// TestIdleIsSaidAsFarAsItIsKnown has the idle line of the overview: a moment
// after the start nothing is known yet, which is not the same as no time.
func TestIdleIsSaidAsFarAsItIsKnown(t *testing.T) {
	t.Parallel()
	since := func(age time.Duration, atLeast bool) model.Idle {
		return model.Idle{Since: noon().Add(-age), AtLeast: atLeast}
	}
	cases := map[string]struct {
		idle model.Idle
		want string
	}{
		"nothing known":     {model.Idle{}, "not known"},
		"watched just now":  {since(0, true), "not known"},
		"a clock is ahead":  {since(-time.Second, true), "not known"},
		"watched a second":  {since(time.Second, true), "for at least 1s"},
		"watched for hours": {since(3*time.Hour, true), "for at least 3h"},
		"ended just now":    {since(0, false), "for 0s"},
		"ended a while ago": {since(time.Minute, false), "for 1m"},
		"a command runs":    {model.Idle{Running: true}, "no, a command may be running"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fleet := smallFleet()
			fleet.Sandboxes = []model.Sandbox{aSandbox("0badcafe", "default", "t").with(func(s *model.Sandbox) { s.Idle = c.idle }).build()}
			s := shown(t, 160, 60, fleet, nil)
			s.goTo("hermes-0badcafe")
			s.reads([]string{"idle       " + c.want})
			if due := s.m.timer.due; c.idle.AtLeast && (due.IsZero() || due.Sub(noon()) > time.Hour) {
				t.Errorf("it is looked at again at %s", due)
			}
		})
	}
}
