package model

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Schema is the version of every JSON document.
const Schema = 1

// listDocument is what `list` and `show` print.
type listDocument struct {
	Schema      int               `json:"schema"`
	GeneratedAt *time.Time        `json:"generated_at"`
	Engines     []engineDocument  `json:"engines"`
	Profiles    []profileDocument `json:"profiles"`
	Sandboxes   []sandboxDocument `json:"sandboxes"`
	Egress      []egressDocument  `json:"egress"`
	Problems    []Problem         `json:"problems"`
}

type engineDocument struct {
	Name       string `json:"name"`
	Host       string `json:"host"`
	Kind       string `json:"kind"`
	Version    Text   `json:"version"`
	APIVersion string `json:"api_version"`
	Rootless   *bool  `json:"rootless"`
	Reachable  bool   `json:"reachable"`
	State      Health `json:"state"`
	Error      string `json:"error"`
}

type profileDocument struct {
	Name       Text     `json:"name"`
	Home       *string  `json:"home"`
	ConfigFile string   `json:"config_file"`
	Active     bool     `json:"active"`
	Policy     *Policy  `json:"policy"`
	Problems   []string `json:"problems"`
}

type sandboxDocument struct {
	Engine      string            `json:"engine"`
	ID          string            `json:"id"`
	Name        Text              `json:"name"`
	Image       Text              `json:"image"`
	State       State             `json:"state"`
	CreatedAt   *time.Time        `json:"created_at"`
	StartedAt   *time.Time        `json:"started_at"`
	FinishedAt  *time.Time        `json:"finished_at"`
	Profile     Text              `json:"profile"`
	Task        Text              `json:"task"`
	Foreign     bool              `json:"foreign"`
	Scope       Scope             `json:"scope"`
	Home        *string           `json:"home"`
	Generation  Generation        `json:"generation"`
	Session     sessionDocument   `json:"session"`
	Network     networkDocument   `json:"network"`
	Posture     Posture           `json:"posture"`
	Findings    []Finding         `json:"findings"`
	Violation   *bool             `json:"violation"`
	Reuse       Reuse             `json:"reuse"`
	Reap        Reap              `json:"reap"`
	Stranded    bool              `json:"stranded"`
	Idle        *bool             `json:"idle"`
	IdleSince   *time.Time        `json:"idle_since"`
	IdleAtLeast bool              `json:"idle_at_least"`
	Labels      Labels            `json:"labels"`
	Detail      *sandboxDetailDoc `json:"detail"`
}

type sessionDocument struct {
	ID             Text         `json:"id"`
	Title          Text         `json:"title"`
	Source         Text         `json:"source"`
	State          SessionState `json:"state"`
	LastActivityAt *time.Time   `json:"last_activity_at"`
	TurnRunning    bool         `json:"turn_running"`
	Candidates     []Text       `json:"candidates"`
}

type networkDocument struct {
	Mode      Text   `json:"mode"`
	Attached  []Text `json:"attached"`
	Published []Text `json:"published"`
}

type egressDocument struct {
	Engine       string   `json:"engine"`
	Network      Text     `json:"network"`
	Proxy        Text     `json:"proxy"`
	ProxyRunning bool     `json:"proxy_running"`
	Allowlist    []string `json:"allowlist"`
	Sandboxes    []string `json:"sandboxes"`
}

// ListDocument returns what `list --output json` prints: the fleet with the
// given sandboxes of it, in their order. With detail every sandbox carries all
// that is known of it, environment values masked. Encode it with [MarshalJSON].
func ListDocument(fleet *Fleet, sandboxes []Sandbox, detail bool) any {
	doc := listDocument{
		Schema:      Schema,
		GeneratedAt: documentTime(fleet.GeneratedAt),
		Engines:     make([]engineDocument, 0, len(fleet.Engines)),
		Profiles:    make([]profileDocument, 0, len(fleet.Profiles)),
		Sandboxes:   make([]sandboxDocument, 0, len(sandboxes)),
		Egress:      make([]egressDocument, 0, len(fleet.Egress)),
		Problems:    present(fleet.Problems),
	}
	for i := range fleet.Engines {
		doc.Engines = append(doc.Engines, newEngineDocument(&fleet.Engines[i]))
	}
	for i := range fleet.Profiles {
		doc.Profiles = append(doc.Profiles, newProfileDocument(&fleet.Profiles[i]))
	}
	for i := range sandboxes {
		sandbox := newSandboxDocument(&sandboxes[i])
		if detail {
			sandbox.Detail = newSandboxDetail(&sandboxes[i])
		}
		doc.Sandboxes = append(doc.Sandboxes, sandbox)
	}
	for i := range fleet.Egress {
		doc.Egress = append(doc.Egress, newEgressDocument(&fleet.Egress[i]))
	}
	return doc
}

// SandboxDocument returns the JSON form of one sandbox without detail, as in
// `list --output jsonl`.
func SandboxDocument(s *Sandbox) any { return newSandboxDocument(s) }

func newEngineDocument(e *Engine) engineDocument {
	return engineDocument{
		Name: e.Name, Host: e.Host, Kind: cmp.Or(e.Kind, "unknown"), Version: e.Version, APIVersion: e.APIVersion,
		Rootless: e.Rootless, Reachable: e.State != Down, State: e.State, Error: e.Error,
	}
}

func newProfileDocument(p *Profile) profileDocument {
	doc := profileDocument{
		Name: p.Name, Home: known(p.Home), ConfigFile: p.ConfigFile, Active: p.Active, Problems: present(p.Problems),
	}
	if p.Policy != nil {
		policy := *p.Policy
		if policy.Sources == nil {
			policy.Sources = map[string]Source{}
		}
		doc.Policy = &policy
	}
	return doc
}

func newSandboxDocument(s *Sandbox) sandboxDocument {
	doc := sandboxDocument{
		Engine: s.Engine, ID: string(s.ID), Name: s.Name, Image: s.Image, State: s.State,
		CreatedAt: documentTime(s.CreatedAt.Time), StartedAt: documentTime(s.StartedAt.Time),
		FinishedAt: documentTime(s.FinishedAt.Time),
		Profile:    s.Profile, Task: s.Task, Foreign: s.Foreign, Scope: s.Scope, Home: known(s.Home),
		Generation: s.Generation,
		Session: sessionDocument{
			ID: s.Session.ID, Title: s.Session.Title, Source: s.Session.Source, State: s.Session.State,
			LastActivityAt: documentTime(s.Session.LastActivityAt), TurnRunning: s.Session.TurnRunning,
			Candidates: present(s.Session.Candidates),
		},
		Network: networkDocument{Mode: s.Networks.Mode, Attached: attachedNames(s), Published: publishedPorts(s)},
		Posture: s.Posture, Findings: present(s.Findings), Violation: s.Violation, Reuse: s.Reuse, Reap: s.Reap,
		Stranded: s.Stranded, Idle: s.Idle.Marked, IdleSince: documentTime(s.Idle.Since), IdleAtLeast: s.Idle.AtLeast,
		Labels: s.Labels,
	}
	doc.Posture.Reasons = present(doc.Posture.Reasons)
	doc.Reuse.Alternatives = present(doc.Reuse.Alternatives)
	if doc.Labels == nil {
		doc.Labels = Labels{}
	}
	return doc
}

func newEgressDocument(pair *EgressPair) egressDocument {
	doc := egressDocument{
		Engine: pair.Engine, Network: pair.Network, Proxy: pair.Proxy, ProxyRunning: pair.ProxyRunning,
		Allowlist: present(pair.Allowlist), Sandboxes: make([]string, 0, len(pair.Sandboxes)),
	}
	for _, id := range pair.Sandboxes {
		doc.Sandboxes = append(doc.Sandboxes, string(id))
	}
	return doc
}

// attachedNames are the networks a sandbox is attached to.
func attachedNames(s *Sandbox) []Text {
	names := make([]Text, 0, len(s.Networks.Endpoints))
	for _, endpoint := range s.Networks.Endpoints {
		names = append(names, endpoint.Network)
	}
	return names
}

// publishedPorts writes port bindings as Docker does: host:port->port/proto.
func publishedPorts(s *Sandbox) []Text {
	ports := make([]Text, 0, len(s.Host.Published))
	for _, port := range s.Host.Published {
		host := port.HostIP.Raw()
		if address, err := netip.ParseAddr(host); err == nil && address.Is6() {
			host = "[" + host + "]"
		}
		text := host + ":" + port.HostPort.Raw() + "->" + port.Container.Raw()
		ports = append(ports, NewText(strings.TrimPrefix(text, ":")))
	}
	slices.SortFunc(ports, compareText)
	return ports
}

// documentTime is nil for an unknown time, else in UTC.
func documentTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	utc := t.UTC()
	return &utc
}

// known is nil for an empty string, which stands for "not known".
func known(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

// present turns nil into an empty list: arrays are never null.
func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
