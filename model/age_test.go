package model

import (
	"math"
	"testing"
	"time"
)

func TestShortAge(t *testing.T) {
	cases := map[string]struct {
		age  time.Duration
		want string
		next time.Duration
	}{
		"nothing":          {0, "0s", time.Second},
		"below a second":   {300 * time.Millisecond, "0s", 700 * time.Millisecond},
		"last second":      {59 * time.Second, "59s", time.Second},
		"a minute":         {time.Minute, "1m", time.Minute},
		"rounds down":      {119 * time.Second, "1m", time.Second},
		"an hour":          {time.Hour, "1h", time.Hour},
		"below a day":      {24*time.Hour - time.Second, "23h", time.Second},
		"three days":       {73 * time.Hour, "3d", 23 * time.Hour},
		"clocks disagree":  {-90 * time.Second, "-1m", time.Second},
		"centuries ahead":  {math.MinInt64, "-106751d", 145224192},
		"just in the past": {-500 * time.Millisecond, "-0s", 1500 * time.Millisecond},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := ShortAge(c.age); got != c.want {
				t.Errorf("ShortAge(%v) = %q, want %q", c.age, got, c.want)
			}
			if got := NextAgeChange(c.age); got != c.next {
				t.Errorf("NextAgeChange(%v) = %v, want %v", c.age, got, c.next)
			}
		})
	}
}
