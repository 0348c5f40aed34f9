package dockerx

import (
	"context"
	"slices"
	"sync"
	"time"

	"hermes-sandbox/rescue"
)

// maxParallel bounds the requests for details in flight on one engine.
const maxParallel = 8

// maxTouched bounds how many details are asked for at a time that are not in
// doubt, so that a storm of commands does not have everything read again.
const maxTouched = 512

// graceTime is how long a value that is out of date is still shown while the
// new one is asked for. After it, nothing is shown rather than something old.
const graceTime = 2 * time.Second

// cache holds details that cost a request each, until an event says that they
// are out of date. What a fetch could not get is part of the value. Values are
// pointers to what is never changed.
type cache[K, V comparable] struct {
	fetch func(context.Context, K) V
	slots chan struct{} // shared bound of requests in flight

	mu    sync.Mutex
	cells map[K]*cell[V]
}

// cell is one cached detail.
type cell[V any] struct {
	value V
	// known is true once there is a value.
	known bool
	// fresh is true while the value is the newest known; mark clears it.
	fresh bool
	// touched asks for a new value without doubting the old one.
	touched bool
	// busy is true while a fetch is in flight.
	busy bool
	// marks counts the marks, to notice one during a fetch.
	marks int
	// markedAt is when fresh was lost.
	markedAt time.Time
}

func newCache[K, V comparable](slots chan struct{}, fetch func(context.Context, K) V) *cache[K, V] {
	return &cache[K, V]{fetch: fetch, slots: slots, cells: map[K]*cell[V]{}}
}

// get returns a value and whether it can be shown: it is fresh, or became out
// of date only just now.
func (c *cache[K, V]) get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.cells[key]; ok && found.known && (found.fresh || time.Since(found.markedAt) < graceTime) {
		return found.value, true
	}
	var zero V
	return zero, false
}

// last returns the last value, however old.
func (c *cache[K, V]) last(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.cells[key]; ok && found.known {
		return found.value, true
	}
	var zero V
	return zero, false
}

// knows reports whether the key was ever asked for.
func (c *cache[K, V]) knows(key K) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.cells[key]
	return ok
}

// swap puts a value that was made of another one in its place, unless that has
// gone meanwhile.
func (c *cache[K, V]) swap(key K, before, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.cells[key]; ok && found.known && found.value == before {
		found.value = value
	}
}

// fresh reports whether the value of a key is the newest known.
func (c *cache[K, V]) fresh(key K) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.cells[key]
	return ok && found.fresh && !found.busy
}

// mark says that the value of a key is out of date.
func (c *cache[K, V]) mark(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.cells[key]; ok {
		found.mark()
	}
}

// touch asks for a new value of a key without doubting the old one.
func (c *cache[K, V]) touch(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, ok := c.cells[key]; ok {
		found.touched = true
	}
}

// markAll says that everything is out of date, what is just asked for included.
func (c *cache[K, V]) markAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, found := range c.cells {
		found.mark()
	}
}

// markWhere marks every value there is that match accepts.
func (c *cache[K, V]) markWhere(match func(V) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, found := range c.cells {
		if found.known && match(found.value) {
			found.mark()
		}
	}
}

func (c *cell[V]) mark() {
	if c.fresh {
		c.fresh, c.markedAt = false, time.Now()
	}
	c.marks++
}

// keep forgets all keys but those given and those in flight.
func (c *cache[K, V]) keep(keys map[K]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, found := range c.cells {
		if !keys[key] && !found.busy {
			delete(c.cells, key)
		}
	}
}

// forgetStale forgets the values that are out of date of keys that nobody asks
// for any more, which would be shown once more and never be made anew.
func (c *cache[K, V]) forgetStale(wanted []K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, found := range c.cells {
		if found.known && !found.fresh && !found.busy && !slices.Contains(wanted, key) {
			delete(c.cells, key)
		}
	}
}

// settle fetches those of the keys that are not fresh, then, one after the other,
// some of those that were only touched, and waits for them. Keys another call is
// fetching already are left to it.
func (c *cache[K, V]) settle(ctx context.Context, keys []K, touched int) {
	var group rescue.Group
	for _, key := range c.claim(keys, 0) {
		if !c.begin(ctx, key) {
			continue
		}
		group.Go(func() {
			defer c.end()
			c.update(ctx, key)
		})
	}
	group.Wait()
	for i := range keys {
		if touched == 0 {
			return
		}
		if len(c.claim(keys[i:i+1], 1)) == 0 {
			continue
		}
		touched--
		if c.begin(ctx, keys[i]) {
			c.update(ctx, keys[i])
			c.end()
		}
	}
}

// begin waits until a request may be sent for a claimed key, which it gives back
// when the context ends first.
func (c *cache[K, V]) begin(ctx context.Context, key K) bool {
	select {
	case c.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		c.release(key)
		return false
	}
}

// end lets the next request be sent.
func (c *cache[K, V]) end() { <-c.slots }

// claim marks keys as in flight and returns those it got.
func (c *cache[K, V]) claim(keys []K, touched int) []K {
	c.mu.Lock()
	defer c.mu.Unlock()
	var claimed []K
	for _, key := range keys {
		found, ok := c.cells[key]
		if !ok {
			found = &cell[V]{}
			c.cells[key] = found
		}
		switch {
		case found.busy:
			continue
		case !found.fresh:
		case found.touched && touched > 0:
			touched--
		default:
			continue
		}
		found.busy, found.touched = true, false
		claimed = append(claimed, key)
	}
	return claimed
}

func (c *cache[K, V]) release(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cells[key].busy = false
}

// update fetches a claimed key. A mark that comes while the request is in
// flight makes its answer worthless, so it is asked again, a few times at most:
// the next refresh goes on where this one stopped.
func (c *cache[K, V]) update(ctx context.Context, key K) {
	const tries = 3
	defer c.release(key)
	for range tries {
		c.mu.Lock()
		before := c.cells[key].marks
		c.mu.Unlock()
		value := c.fetch(ctx, key)
		if ctx.Err() != nil {
			return
		}
		c.mu.Lock()
		found := c.cells[key]
		found.value, found.known = value, true
		found.fresh = found.marks == before
		done := found.fresh
		c.mu.Unlock()
		if done {
			return
		}
	}
}
