package model

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ErrBadAge is wrapped by every error of [ParseAge].
var ErrBadAge = errors.New("not an age")

// Age returns the time since the container was created, on the engine's clock,
// and whether it is known. A creation in the future counts as age zero: it
// comes from clocks that differ, and the reap verdict says so.
func (s *Sandbox) Age(engineNow time.Time) (time.Duration, bool) {
	if !s.CreatedAt.Known() {
		return 0, false
	}
	return max(0, engineNow.Sub(s.CreatedAt.Time)), true
}

// ParseAge reads a duration such as 10m, 2h30m, 3d or 1w: whole numbers with
// the units s, m, h, d (24 hours) and w (7 days).
func ParseAge(text string) (time.Duration, error) {
	if text == "" {
		return 0, fmt.Errorf("%w: it is empty (use numbers with s, m, h, d or w)", ErrBadAge)
	}
	var total time.Duration
	for rest := text; rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		number, err := strconv.ParseInt(rest[:digits], 10, 64)
		if err != nil || digits == len(rest) {
			return 0, fmt.Errorf("%w: %q (use numbers with s, m, h, d or w)", ErrBadAge, text)
		}
		unit, ok := unitOf(rest[digits])
		if !ok {
			return 0, fmt.Errorf("%w: %q (use numbers with s, m, h, d or w)", ErrBadAge, text)
		}
		if number > (math.MaxInt64-int64(total))/int64(unit) {
			return 0, fmt.Errorf("%w: %q is too long", ErrBadAge, text)
		}
		total += time.Duration(number) * unit
		rest = rest[digits+1:]
	}
	return total, nil
}

func unitOf(letter byte) (time.Duration, bool) {
	switch letter {
	case 's':
		return time.Second, true
	case 'm':
		return time.Minute, true
	case 'h':
		return time.Hour, true
	case 'd':
		return 24 * time.Hour, true
	case 'w':
		return 7 * 24 * time.Hour, true
	default:
		return 0, false
	}
}
