package widget

import "math"

// Spark draws figures as a row of bars, the newest at the right, at most width
// of them. Levels are the bars from low to high. The tallest bar stands for the
// largest figure or for full, whichever is more; what is not known (below zero)
// is left free.
func Spark(values []float64, width int, full float64, levels []string) string {
	if width <= 0 || len(levels) == 0 {
		return ""
	}
	values = values[max(0, len(values)-width):]
	top := full
	for _, value := range values {
		if value > top { // never true of what is no number
			top = value
		}
	}
	out := Spaces(width - len(values))
	for _, value := range values {
		switch {
		case value < 0 || math.IsNaN(value):
			out += " "
		case top <= 0:
			out += levels[0]
		default:
			out += levels[Clamp(int(value/top*float64(len(levels))), 0, len(levels)-1)]
		}
	}
	return out
}
