package model

import (
	"fmt"
	"math"
	"time"
)

// ageUnit returns the unit an age is shown in: the largest that it fills once,
// seconds below a minute.
func ageUnit(age time.Duration) (time.Duration, string) {
	const day = 24 * time.Hour
	switch {
	case age >= day:
		return day, "d"
	case age >= time.Hour:
		return time.Hour, "h"
	case age >= time.Minute:
		return time.Minute, "m"
	default:
		return time.Second, "s"
	}
}

// ShortAge writes a duration as one whole number of its largest unit, rounded
// down: 59s, 14m, 2h, 3d. A negative one is written with its sign, since it
// means that two clocks disagree.
func ShortAge(age time.Duration) string {
	if age < 0 {
		// The least duration, which a time far in the future gives, has no
		// positive counterpart.
		return "-" + ShortAge(-max(age, -math.MaxInt64))
	}
	unit, name := ageUnit(age)
	return fmt.Sprintf("%d%s", age/unit, name)
}

// NextAgeChange says how long it takes until ShortAge of a growing age reads
// differently. It is always positive.
func NextAgeChange(age time.Duration) time.Duration {
	if age < 0 {
		return -age%time.Second + time.Second
	}
	unit, _ := ageUnit(age)
	return unit - age%unit
}
