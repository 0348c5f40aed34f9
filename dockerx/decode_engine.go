package dockerx

import (
	"net/http"
	"strings"
	"time"

	"hermes-sandbox/model"
)

// engineFacts is what is asked once per connection.
type engineFacts struct {
	APIVersion string
	Podman     bool
	Version    model.Text
	OS         model.Text
	Kernel     string // the engine's kernel release
	Rootless   *bool
	known      bool // /version and /info were asked
	problems   []model.Problem
	clock      clock
}

// readVersion takes the engine's version and kind from /version.
func (f *engineFacts) readVersion(data []byte, _, _ time.Time) error {
	row, err := newObject(data)
	if err != nil {
		return err
	}
	f.Version = row.text("Version")
	for _, component := range row.children("Components") {
		if strings.HasPrefix(component.str("Name"), "Podman") {
			f.Podman = true
		}
	}
	return nil
}

// readInfo takes the system, rootless mode and the engine's clock from /info.
func (f *engineFacts) readInfo(data []byte, sent, received time.Time) error {
	row, err := newObject(data)
	if err != nil {
		return err
	}
	f.OS = row.text("OperatingSystem")
	f.Kernel = row.str("KernelVersion")
	rootless := row.boolean("Rootless")
	for _, option := range row.texts("SecurityOptions") {
		for part := range strings.SplitSeq(option.Raw(), ",") {
			rootless = rootless || part == "name=rootless" || part == "rootless"
		}
	}
	if row.has("SecurityOptions") || row.has("Rootless") {
		f.Rootless = &rootless
	}
	if at := row.stamp("SystemTime"); at.Known() {
		f.clock.exact(at.Time, sent, received)
	}
	return nil
}

// clock estimates how far the engine's clock is ahead of ours. One answer
// bounds the difference: the engine read its clock between our sending and our
// receiving. Zero is kept whenever the bounds allow it.
type clock struct {
	skew  time.Duration
	known bool
}

// exact takes a time that is precise, such as /info's.
func (c *clock) exact(engine, sent, received time.Time) {
	c.known = true
	c.skew = nearest(0, engine.Sub(received), engine.Sub(sent))
}

// observe takes the Date header of any answer, which is cut to a whole second,
// and corrects the estimate only when it cannot be true any more.
func (c *clock) observe(header http.Header, sent, received time.Time) {
	engine, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return
	}
	c.skew = nearest(c.skew, engine.Sub(received), engine.Add(time.Second).Sub(sent))
	c.known = true
}

// nearest returns the value closest to current within the bounds.
func nearest(current, lowest, highest time.Duration) time.Duration {
	return max(lowest, min(highest, current))
}
