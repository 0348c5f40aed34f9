package dockerx

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// Bounds of following the logs of proxies.
const (
	requestTail    = 1000 // lines of the past
	requestText    = 300  // bytes of one text of a request
	requestProxies = 64   // logs followed at a time
	requestPause   = time.Second
	requestPauses  = 30 * time.Second // the longest pause
)

// EgressFollower follows the logs of an engine's running allowlist proxies into
// a [RequestBook]. It is told of every snapshot and never waits for anybody.
type EgressFollower struct {
	client *Client
	book   *RequestBook
	each   func(model.EgressRequest)

	ctx     context.Context //nolint:containedctx // ends what was begun by See
	end     context.CancelFunc
	running rescue.Group

	mu      sync.Mutex
	proxies map[model.Key]*followedProxy
	resting bool // nothing is read until Resume
}

// followedProxy is the reading of one proxy's log.
type followedProxy struct {
	key  model.Key
	stop context.CancelFunc // nil: it is not being read

	mu    sync.Mutex
	boxes map[string]addressee // sandboxes by address
	last  time.Time            // of the last line that was taken
}

// addressee is who has an address, and since when at the earliest.
type addressee struct {
	key   model.Key
	since time.Time
}

// NewEgressFollower returns a follower for an engine, which works until ctx ends
// or it is closed. Each, when given, is called with every new request, those of
// one proxy in their order; those of several may come at the same time.
func NewEgressFollower(ctx context.Context, client *Client, book *RequestBook, each func(model.EgressRequest)) *EgressFollower {
	ctx, end := context.WithCancel(ctx)
	return &EgressFollower{client: client, book: book, each: each, ctx: ctx, end: end, proxies: make(map[model.Key]*followedProxy)}
}

// Close ends all reading and returns when it has ended.
func (f *EgressFollower) Close() {
	f.end()
	f.running.Wait()
}

// Suspend ends all reading until Resume, and returns when it has ended: an
// engine waits for readers that sleep.
func (f *EgressFollower) Suspend() {
	f.mu.Lock()
	f.resting = true
	for _, proxy := range f.proxies {
		proxy.halt()
	}
	f.mu.Unlock()
	f.running.Wait()
}

// Resume lets the next snapshot begin the reading again where it ended.
func (f *EgressFollower) Resume() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.resting = false
}

// See takes what the engine has now: proxies that began to run are followed,
// those that ended are not, and those that are gone are forgotten. A snapshot of
// an engine that does not answer changes nothing.
func (f *EgressFollower) See(snapshot *model.Snapshot) {
	f.running.Check() // nobody waits for the readers before the end
	if snapshot.Engine.State != model.Live || f.ctx.Err() != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.resting {
		return
	}
	here := map[model.Key]bool{}
	followed := 0
	for _, proxy := range snapshot.Others {
		if !model.EgressProxy(proxy) {
			continue
		}
		key := model.Key{Engine: snapshot.Engine.Name, ID: proxy.ID}
		here[key] = true
		if f.see(key, proxy, snapshot, followed < requestProxies) {
			followed++
		}
	}
	for key, known := range f.proxies {
		if !here[key] {
			known.halt()
			delete(f.proxies, key)
			f.book.forget(key)
		}
	}
}

// see decides on one proxy and reports whether its log is followed.
func (f *EgressFollower) see(key model.Key, proxy *model.Container, snapshot *model.Snapshot, room bool) bool {
	known := f.proxies[key]
	if known == nil {
		known = &followedProxy{key: key}
		f.proxies[key] = known
	}
	why := ""
	switch {
	case !proxy.Inspected:
		return known.stop != nil // not known yet
	case !model.OwnEgressProxy(proxy):
		why = "it was made by Hermes, whose log this program does not read"
	case proxy.State != model.StateRunning:
		why = "the proxy is " + model.NewText(string(proxy.State)).Display()
	case !room:
		why = fmt.Sprintf("only the logs of %d proxies are read", requestProxies)
	}
	if why != "" {
		known.halt()
		f.book.problem(key, why)
		return false
	}
	known.meet(addressees(proxy, snapshot))
	f.book.problem(key, "") // what could not be read is tried again, and said again
	if known.stop == nil {
		ctx, stop := context.WithCancel(f.ctx)
		known.stop = stop
		f.running.Go(func() { f.follow(ctx, known) })
	}
	return true
}

// halt ends the reading of a log.
func (p *followedProxy) halt() {
	if p.stop != nil {
		p.stop()
		p.stop = nil
	}
}

func (p *followedProxy) meet(boxes map[string]addressee) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.boxes = boxes
}

// addressees are the sandboxes on the allowlist network of a proxy.
func addressees(proxy *model.Container, snapshot *model.Snapshot) map[string]addressee {
	boxes := map[string]addressee{}
	for _, list := range [][]*model.Container{snapshot.Containers, snapshot.Others} {
		for _, c := range list {
			for _, endpoint := range c.Networks.Endpoints {
				if c.ID == proxy.ID || !model.IsEgressNetwork(endpoint.Network) || !onNetwork(proxy, endpoint.Network) {
					continue
				}
				for _, address := range []model.Text{endpoint.IPv4, endpoint.IPv6} {
					if !address.Empty() {
						boxes[address.Raw()] = addressee{model.Key{Engine: snapshot.Engine.Name, ID: c.ID}, c.StartedAt.Time}
					}
				}
			}
		}
	}
	return boxes
}

func onNetwork(c *model.Container, name model.Text) bool { return attachedTo(*c, name) }

// follow reads a proxy's log until ctx ends, over restarts of the proxy and of
// the connection. A line is taken once.
func (f *EgressFollower) follow(ctx context.Context, proxy *followedProxy) {
	pause := requestPause
	for ctx.Err() == nil {
		options := LogOptions{Follow: true, Tail: requestTail}
		if last := proxy.seen(); !last.IsZero() {
			options.Tail, options.Since = -1, last
		}
		err := f.client.Logs(ctx, proxy.key.ID, options, func(line model.LogLine) error {
			pause = requestPause
			f.take(proxy, line)
			return ctx.Err()
		})
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			f.book.problem(proxy.key, "its log cannot be read: "+reason(err))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		pause = min(2*pause, requestPauses)
	}
}

func (p *followedProxy) seen() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// take notes one line, unless it was there before.
func (f *EgressFollower) take(proxy *followedProxy, line model.LogLine) {
	proxy.mu.Lock()
	old := !line.At.IsZero() && !line.At.After(proxy.last)
	if line.At.After(proxy.last) {
		proxy.last = line.At
	}
	boxes := proxy.boxes
	proxy.mu.Unlock()
	if old || line.Stream != model.StreamStdout {
		return
	}
	request, ok := readRequest(line.Text.Raw())
	if !ok {
		f.book.change(proxy.key, func(p *proxyRequests) { p.unreadable++ })
		return
	}
	request.Engine, request.Proxy = proxy.key.Engine, proxy.key.ID
	if box, known := boxes[request.Address.Raw()]; known && !request.At.Before(box.since) {
		request.Sandbox = box.key
	}
	f.book.change(proxy.key, func(p *proxyRequests) { p.book.Note(request) })
	if f.each != nil {
		f.each(request)
	}
}

// readRequest reads a line as our proxy writes it. Anything else is none.
func readRequest(line string) (model.EgressRequest, bool) {
	if !strings.HasPrefix(line, "{") {
		return model.EgressRequest{}, false
	}
	var record struct {
		Time     time.Time
		Sandbox  string
		Method   string
		Host     string
		Port     int
		Verdict  model.EgressVerdict
		Reason   string
		Detail   string
		Up       int64 `json:"bytes_up"`
		Down     int64 `json:"bytes_down"`
		Duration int64 `json:"duration_ms"`
	}
	if err := json.Unmarshal([]byte(line), &record); err != nil {
		return model.EgressRequest{}, false
	}
	const longest = int64(1) << 40 // milliseconds: what is longer is no duration
	known := record.Verdict == model.EgressAllow || record.Verdict == model.EgressDeny || record.Verdict == model.EgressFail
	if !known || record.Time.IsZero() || record.Sandbox == "" || record.Port < 0 || record.Port > 65535 ||
		record.Up < 0 || record.Down < 0 || record.Duration < 0 || record.Duration > longest {
		return model.EgressRequest{}, false
	}
	return model.EgressRequest{
		At: record.Time.UTC(), Address: boundedText(record.Sandbox), Method: boundedText(record.Method), Host: boundedText(record.Host),
		Port: record.Port, Verdict: record.Verdict, Reason: boundedText(record.Reason), Detail: boundedText(record.Detail),
		Up: record.Up, Down: record.Down, Took: time.Duration(record.Duration) * time.Millisecond,
	}, true
}

// boundedText copies a text out of its line, and no more of it than is kept.
func boundedText(text string) model.Text {
	return model.NewText(strings.Clone(text[:min(len(text), requestText)]))
}
