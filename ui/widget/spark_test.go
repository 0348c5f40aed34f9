package widget

import (
	"math"
	"testing"
)

func TestSpark(t *testing.T) {
	t.Parallel()
	levels := []string{"_", "-", "^"}
	cases := map[string]struct {
		values []float64
		width  int
		full   float64
		want   string
	}{
		"rising":         {[]float64{0, 1, 2}, 3, 0, "_-^"},
		"to the right":   {[]float64{2}, 3, 0, "  ^"},
		"the newest":     {[]float64{2, 0, 0}, 2, 0, "__"},
		"against a full": {[]float64{10}, 1, 100, "_"},
		"over the full":  {[]float64{200, 100}, 2, 100, "^-"},
		"not known":      {[]float64{-1, math.NaN(), 3}, 3, 0, "  ^"},
		"all zero":       {[]float64{0, 0}, 2, 0, "__"},
		"no room":        {[]float64{1}, 0, 0, ""},
		"no figures":     {nil, 2, 0, "  "},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Spark(tt.values, tt.width, tt.full, levels); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
