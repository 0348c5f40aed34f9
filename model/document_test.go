package model

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// shape writes every key of a document with the kind of its value, one per
// line, arrays by their first element.
func shape(t *testing.T, document any) string {
	t.Helper()
	data, err := MarshalJSON(document, false)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	var lines []string
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for key, child := range value {
				walk(path+"."+key, child)
			}
			if len(value) == 0 {
				lines = append(lines, path+" {}")
			}
		case []any:
			if len(value) == 0 {
				lines = append(lines, path+" []")
			} else {
				walk(path+"[]", value[0])
			}
		case nil:
			lines = append(lines, path+" null")
		default:
			lines = append(lines, fmt.Sprintf("%s %T", path, value))
		}
	}
	walk("", value)
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// assertShape compares a document's shape with what the reference says: paths
// with kinds, as shape writes them, in any order and on any number of lines.
func assertShape(t *testing.T, document any, want string) {
	t.Helper()
	wanted, got := shapeLines(want), strings.Split(shape(t, document), "\n")
	for _, line := range got {
		if !slices.Contains(wanted, line) {
			t.Errorf("not in the reference: %s", line)
		}
	}
	for _, line := range wanted {
		if !slices.Contains(got, line) {
			t.Errorf("missing: %s", line)
		}
	}
}

// shapeLines reads a list of paths, each with its kind behind it.
func shapeLines(text string) []string {
	var lines []string
	words := strings.Fields(text)
	for i := 0; i+1 < len(words); i += 2 {
		lines = append(lines, words[i]+" "+words[i+1])
	}
	return lines
}

// under puts a shape below a path.
func under(path, text string) string {
	return " " + path + strings.Join(shapeLines(text), " "+path)
}

const sandboxShape = `.engine string .id string .name string .image string .state string
.created_at string .started_at string .finished_at string .profile string .task string .foreign bool .scope string
.home string .generation string
.session.id string .session.title string .session.source string .session.state string
.session.last_activity_at null .session.turn_running bool .session.candidates []
.network.mode string .network.attached[] string .network.published []
.posture.level string .posture.effective string .posture.evidence string .posture.drifted bool .posture.latched bool
.posture.reasons [] .findings [] .violation bool
.reuse.verdict string .reuse.reason string .reuse.alternatives []
.reap.verdict string .reap.reason string .reap.in_seconds float64
.stranded bool .idle null .idle_since null .idle_at_least bool .labels.hermes-agent string .detail null`

func TestListDocumentKeys(t *testing.T) {
	fleet := planFleet(workSandbox("aa"))
	fleet.Egress = []EgressPair{{Engine: "local", Network: NewText("n"), Sandboxes: []ID{planID("aa")}}}
	fleet.Problems = []Problem{{Part: "config", Error: "unreadable"}}
	want := `.schema float64 .generated_at string
.engines[].name string .engines[].host string .engines[].kind string .engines[].version string .engines[].api_version string
.engines[].rootless null .engines[].reachable bool .engines[].state string .engines[].error string
.profiles[].name string .profiles[].home string .profiles[].config_file string .profiles[].active bool .profiles[].problems []
.profiles[].policy.backend null .profiles[].policy.docker_network bool .profiles[].policy.container_network null
.profiles[].policy.position string .profiles[].policy.allowlist null .profiles[].policy.extra_network null
.profiles[].policy.orphan_reaper bool .profiles[].policy.persist_across_processes null
.profiles[].policy.container_persistent null .profiles[].policy.lifetime_seconds float64
.profiles[].policy.reap_after_seconds float64 .profiles[].policy.shared_container_key null
.profiles[].policy.image null .profiles[].policy.image_pinned null .profiles[].policy.proxy_enabled null
.profiles[].policy.proxy_enforced null .profiles[].policy.sources {}
.egress[].engine string .egress[].network string .egress[].proxy string .egress[].proxy_running bool
.egress[].allowlist [] .egress[].sandboxes[] string
.problems[].part string .problems[].error string
` + under(".sandboxes[]", sandboxShape)
	assertShape(t, ListDocument(fleet, fleet.Sandboxes, false), want)
	assertShape(t, SandboxDocument(&fleet.Sandboxes[0]), sandboxShape)
}

func TestEmptyDocumentsHaveNoNulls(t *testing.T) {
	assertShape(t, ListDocument(&Fleet{}, nil, true),
		".schema float64 .generated_at null .engines [] .profiles [] .sandboxes [] .egress [] .problems []")
	assertShape(t, ProfilesDocument(&Fleet{}), ".schema float64 .generated_at null .profiles [] .problems []")
	assertShape(t, Plan{}, ".schema float64 .action string .dry_run bool .config [] .targets []")
	assertShape(t, &Target{}, `.engine string .id string .name string .profile string .task string .state string
.decision string .method string .reason string .loses [] .warnings [] .outcome string .error string .new_id string`)
}

func TestPlanDocumentKeys(t *testing.T) {
	fleet := planFleet(workSandbox("aa", inState(StateRunning)))
	plan := PlanRemove(fleet, keysOf(fleet.Sandboxes), RemoveOptions{})
	plan.Config = []ConfigEdit{{}}
	assertShape(t, plan, `.schema float64 .action string .dry_run bool
.config[].profile string .config[].file string .config[].key string .config[].from string .config[].to string
.config[].outcome string .config[].error string
.targets[].engine string .targets[].id string .targets[].name string .targets[].profile string .targets[].task string
.targets[].state string .targets[].decision string .targets[].method string .targets[].reason string
.targets[].loses[] string .targets[].warnings[] string .targets[].outcome string .targets[].error string .targets[].new_id string`)
}

func TestAuditEntryKeepsItsPlan(t *testing.T) {
	entry := AuditEntry{Action: ActionRemove, Plan: &Plan{Targets: []Target{{ID: planID("aa")}}}}
	data, err := MarshalJSON(entry, false)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), `"config":[]`) || !strings.Contains(string(data), `"loses":[]`) {
		t.Errorf("the entry holds nulls: %s", data)
	}
	var back AuditEntry
	if err := json.Unmarshal(data, &back); err != nil || back.Plan.Targets[0].ID != planID("aa") {
		t.Errorf("read back %+v, %v", back, err)
	}
}

func TestUnknownIsNull(t *testing.T) {
	s := workSandbox("aa", func(s *Sandbox) {
		s.CreatedAt, s.StartedAt, s.FinishedAt, s.Home, s.Violation = Stamp{}, Stamp{}, Stamp{}, "", nil
		s.Reap.InSeconds, s.Labels = nil, nil
	})
	got := shape(t, SandboxDocument(&s))
	for _, line := range []string{".created_at null", ".started_at null", ".finished_at null", ".home null", ".violation null", ".reap.in_seconds null", ".labels {}"} {
		if !slices.Contains(strings.Split(got, "\n"), line) {
			t.Errorf("missing %s in\n%s", line, got)
		}
	}
	fleet := &Fleet{Profiles: []Profile{{Name: NewText("x")}}}
	if got := shape(t, ListDocument(fleet, nil, false)); !strings.Contains(got, ".profiles[].home null") || !strings.Contains(got, ".profiles[].policy null") {
		t.Errorf("a profile known from labels alone:\n%s", got)
	}
}

func TestPublishedPorts(t *testing.T) {
	s := workSandbox("aa", func(s *Sandbox) {
		s.Host.Published = []Port{
			{Container: NewText("80/tcp"), HostIP: NewText("127.0.0.1"), HostPort: NewText("8080")},
			{Container: NewText("53/udp"), HostIP: NewText("::"), HostPort: NewText("53")},
			{Container: NewText("22/tcp"), HostPort: NewText("2222")},
		}
	})
	data, _ := MarshalJSON(SandboxDocument(&s), false)
	var doc struct{ Network struct{ Published []string } }
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	want := []string{"127.0.0.1:8080->80/tcp", "2222->22/tcp", "[::]:53->53/udp"}
	if !slices.Equal(doc.Network.Published, want) {
		t.Errorf("published %q, want %q", doc.Network.Published, want)
	}
}

func TestDetailMasksTheEnvironment(t *testing.T) {
	s := workSandbox("aa", func(s *Sandbox) {
		s.Env = []Text{NewText("TOKEN=secret=1"), NewText("EMPTY="), NewText("NAME"), NewText("")}
		s.Kernel = &KernelView{Interfaces: []KernelInterface{{Name: "eth0", Addresses: []netip.Addr{netip.MustParseAddr("10.0.0.2")}}}}
		s.Mounts = []Mount{{Type: NewText("bind"), Source: NewText("/srv"), Destination: NewText("/root")}}
		s.Reuse.Rules = Trail{extra: []RuleCheck{{Rule: "network guard (C.6)", Outcome: RuleFail, Detail: "bridge"}}}
	})
	fleet := planFleet(s)
	data, err := MarshalJSON(ListDocument(fleet, fleet.Sandboxes, true), false)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, part := range []string{
		`"env":["TOKEN=***","EMPTY=***","NAME",""]`, `"addresses":["10.0.0.2"]`,
		`"reuse_rules":[{"rule":"network guard (C.6)","outcome":"fail","detail":"bridge"}]`,
		`"mounts":[{"type":"bind","name":"","source":"/srv","destination":"/root","rw":false,"anonymous":false}]`,
		`"image_labels":null`, `"host_config":{`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("missing %s", part)
		}
	}
	if strings.Contains(text, "secret") {
		t.Error("the document holds a value of the environment")
	}
}

func TestDetailArraysAreNeverNull(t *testing.T) {
	s := workSandbox("aa", func(s *Sandbox) {
		s.Kernel, s.ImageLabelsKnown = &KernelView{Interfaces: []KernelInterface{{}}}, true
		s.Networks.Endpoints = []Endpoint{{}}
	})
	nullable := []string{".inspected_at", ".kernel.read_at"}
	for line := range strings.SplitSeq(shape(t, newSandboxDetail(&s)), "\n") {
		if path, null := strings.CutSuffix(line, " null"); null && !slices.Contains(nullable, path) {
			t.Errorf("%s is null", path)
		}
	}
	notRead := workSandbox("aa", func(s *Sandbox) { s.Inspected = false })
	if !strings.Contains(shape(t, newSandboxDetail(&notRead)), ".host_config null") {
		t.Error("a configuration that was not read is shown")
	}
}

func TestProfilesDocument(t *testing.T) {
	fleet := planFleet(
		workSandbox("aa"), workSandbox("bb", func(s *Sandbox) { s.Violation = pointer(true) }),
		workSandbox("cc", func(s *Sandbox) { s.Violation = nil }), workSandbox("dd", func(s *Sandbox) { s.Home = "/srv/bot" }),
		workSandbox("ee", homelessOne, func(s *Sandbox) { s.Violation = nil }),
	)
	fleet.Profiles = append(fleet.Profiles, Profile{Name: NewText("elsewhere")})
	data, err := MarshalJSON(ProfilesDocument(fleet), false)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Profiles []struct {
			Name       string  `json:"name"`
			Home       *string `json:"home"`
			Policy     *Policy `json:"policy"`
			InLine     int     `json:"in_line"`
			Violations int     `json:"violations"`
			Unknown    int     `json:"unknown"`
		} `json:"profiles"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	work, elsewhere := doc.Profiles[0], doc.Profiles[1]
	if work.InLine != 1 || work.Violations != 1 || work.Unknown != 1 || work.Name != "work" || work.Policy == nil {
		t.Errorf("work: %+v", work)
	}
	if elsewhere.Unknown != 1 || elsewhere.InLine != 0 || elsewhere.Home != nil {
		t.Errorf("elsewhere: %+v", elsewhere)
	}
}

func TestDocumentsHoldNoRawControls(t *testing.T) {
	evil := NewText("x\x1b]52;c;eA==\x07\u202e\u009b\u200b\xff")
	s := workSandbox("aa", func(s *Sandbox) {
		s.Name, s.Profile, s.Image, s.State = evil, evil, evil, State("run\u202ening")
		s.Labels[evil] = evil
		s.Networks.Endpoints = []Endpoint{{Network: evil}}
		s.ID = ID("\x1b[2J")
	})
	fleet := planFleet(s)
	for _, document := range []any{ListDocument(fleet, fleet.Sandboxes, true), PlanRemove(fleet, keysOf(fleet.Sandboxes), RemoveOptions{}), DiffFleets(nil, fleet)} {
		data, err := MarshalJSON(document, false)
		if err != nil {
			t.Fatal(err)
		}
		checkPrintable(t, string(data))
	}
}
