package dockerx

import (
	"context"
	"time"
)

// schedule brings a list about: at once after quiet, else as soon as the gap
// since the last one allows. More requests until then fold into it.
func (s *session) schedule() {
	switch {
	case s.listing:
		s.again = true
	case !s.armed:
		s.armed = true
		s.next.Reset(max(0, s.gap()-time.Since(s.lastList)))
	}
}

// hurry has changes among many sandboxes looked at by themselves, at once after
// quiet and as often as there may be lists of a few.
func (s *session) hurry() {
	switch {
	case !s.shown || !s.watcher.collector.many():
	case s.hurrying:
		s.hurryOn = true
	default:
		s.hurrying = true
		s.soon.Reset(max(0, listGap-time.Since(s.lastHurry)))
	}
}

func (s *session) lookAtChanges(ctx context.Context) {
	s.lastHurry = time.Now()
	s.group.Go(func() {
		s.watcher.collector.hurry(ctx)
		select {
		case s.hurries <- struct{}{}:
		case <-ctx.Done():
		}
	})
}

// hurried shows what was found.
func (s *session) hurried() {
	s.publish()
	again := s.hurryOn
	s.hurrying, s.hurryOn = false, false
	if again {
		s.hurry()
	}
}

// gap is the least time between two lists. Long ones of many sandboxes must not
// keep the engine busy, since changes are known without them.
func (s *session) gap() time.Duration {
	if !s.watcher.collector.many() {
		return listGap
	}
	return max(listGap, min(listShare*s.took, listGapMost))
}
