package model

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// emptyInventory is the inventory of the fixtures' engine, with nothing odd.
func emptyInventory() Inventory { return Inventory{Engine: "local", NetworksKnown: true} }

// doctorWorld is a healthy fleet and what a check of it looks at.
func doctorWorld() (*Fleet, *DoctorInput) {
	fleet := planFleet()
	fleet.Engines[0].SkewKnown, fleet.Engines[0].Version = true, NewText("28.5.1")
	return fleet, &DoctorInput{Inventories: []Inventory{emptyInventory()}}
}

// plainContainer is a stopped container of nobody.
func plainContainer(prefix, name string, changes ...func(*Container)) Container {
	c := Container{
		Engine: "local", ID: planID(prefix), Name: NewText(name), Image: NewText("alpine"), State: StateExited,
		Command: postureTexts("sh"), CreatedAt: ago(time.Hour), Inspected: true,
	}
	for _, change := range changes {
		change(&c)
	}
	return c
}

func labelled(pairs ...string) func(*Container) {
	return func(c *Container) {
		c.Labels = Labels{}
		for i := 0; i+1 < len(pairs); i += 2 {
			c.Labels[NewText(pairs[i])] = NewText(pairs[i+1])
		}
	}
}

// codesOf lists the findings as "level code", without the note that tells which
// engine it is.
func codesOf(found []Diagnosis) []string {
	codes := []string{}
	for _, diagnosis := range found {
		if diagnosis.Code != "engine" {
			codes = append(codes, string(diagnosis.Level)+" "+diagnosis.Code)
		}
	}
	return codes
}

func TestDiagnose(t *testing.T) {
	policy := func(change func(*Policy)) func(*Fleet, *DoctorInput) {
		return func(fleet *Fleet, _ *DoctorInput) { change(fleet.Profiles[0].Policy) }
	}
	container := func(c Container) func(*Fleet, *DoctorInput) {
		return func(_ *Fleet, in *DoctorInput) {
			in.Inventories[0].Containers = append(in.Inventories[0].Containers, c)
		}
	}
	sandbox := func(changes ...func(*Sandbox)) func(*Fleet, *DoctorInput) {
		return func(fleet *Fleet, _ *DoctorInput) {
			fleet.Sandboxes = append(fleet.Sandboxes, workSandbox("a1", changes...))
		}
	}
	socket := func(access SocketAccess) func(*Fleet, *DoctorInput) {
		return func(_ *Fleet, in *DoctorInput) { access.Path = "/run/docker.sock"; in.Inventories[0].Socket = &access }
	}
	cases := map[string]struct {
		change func(*Fleet, *DoctorInput)
		want   []string
	}{
		"all is well": {func(*Fleet, *DoctorInput) {}, []string{}},
		"engine of an old API": {func(f *Fleet, in *DoctorInput) {
			f.Engines[0].State = Down
			in.Inventories[0] = Inventory{Engine: "local", Failure: &EngineFailure{Reason: "too-old", Detail: "API 1.24", Next: "update"}}
		}, []string{"error engine-too-old"}},
		"engine down before it was asked": {func(f *Fleet, in *DoctorInput) { f.Engines[0].State, in.Inventories = Down, nil }, []string{"error engine-down"}},
		"engine that refuses the whole list": {func(_ *Fleet, in *DoctorInput) {
			in.Inventories[0].Failure = &EngineFailure{Reason: "forbidden", Detail: "403"}
		}, []string{"error engine-forbidden"}},
		"engine without isolated networks": {func(f *Fleet, _ *DoctorInput) { f.Engines[0].Version = NewText("27.0.1") }, []string{"info engine-no-isolation"}},
		"podman":                           {func(f *Fleet, _ *DoctorInput) { f.Engines[0].Kind = "podman" }, []string{"info engine-podman"}},
		"rootless":                         {func(f *Fleet, _ *DoctorInput) { f.Engines[0].Rootless = pointer(true) }, []string{"info rootless"}},
		"rootless with a credential proxy": {func(f *Fleet, _ *DoctorInput) {
			f.Engines[0].Rootless, f.Profiles[0].Policy.ProxyEnabled = pointer(true), pointer(true)
		}, []string{"warning rootless-proxy", "info rootless"}},
		"tcp without tls":           {func(f *Fleet, _ *DoctorInput) { f.Engines[0].Wire = WirePlain }, []string{"warning engine-plain"}},
		"tls that is not checked":   {func(f *Fleet, _ *DoctorInput) { f.Engines[0].Wire = WireUnverified }, []string{"warning engine-unverified"}},
		"tls that is checked":       {func(f *Fleet, _ *DoctorInput) { f.Engines[0].Wire = WireVerified }, []string{}},
		"clock a second off":        {func(f *Fleet, _ *DoctorInput) { f.Engines[0].Skew = time.Second }, []string{}},
		"clock hours behind":        {func(f *Fleet, _ *DoctorInput) { f.Engines[0].Skew = -3 * time.Hour }, []string{"warning clock-skew"}},
		"clock not told":            {func(f *Fleet, _ *DoctorInput) { f.Engines[0].SkewKnown = false }, []string{"info clock-unknown"}},
		"socket for everybody":      {socket(SocketAccess{Mode: 0o666, Reachable: true, RootGroup: true}), []string{"error socket-world-writable"}},
		"socket in a closed folder": {socket(SocketAccess{Mode: 0o666, RootGroup: true}), []string{}},
		"socket for a group":        {socket(SocketAccess{Mode: 0o660, Group: "docker", Reachable: true}), []string{"info socket-group"}},
		"socket for root's group":   {socket(SocketAccess{Mode: 0o660, RootGroup: true, Reachable: true}), []string{}},
		"home that is not there": {func(_ *Fleet, in *DoctorInput) {
			in.HomeProblems = []Problem{{Part: "home /x", Error: "no such folder"}}
		}, []string{"error home-unreadable"}},
		"network list that failed": {func(_ *Fleet, in *DoctorInput) {
			in.Inventories[0].Problems = []Problem{{Part: "networks", Error: "timeout"}}
		}, []string{"warning incomplete"}},
		"profile known from labels": {func(f *Fleet, _ *DoctorInput) { f.Profiles[0] = Profile{Name: NewText("gone"), Label: "gone"} }, []string{"info profile-without-home"}},
		"configuration that is unreadable": {func(f *Fleet, _ *DoctorInput) {
			f.Profiles[0].Problems = []string{"config.yaml does not parse"}
			f.Profiles[0].Policy.Sources = map[string]Source{"backend": SourceBackup}
		}, []string{"error config-unreadable"}},
		"oddity of a home":        {func(f *Fleet, _ *DoctorInput) { f.Profiles[0].Problems = []string{"active_profile names x"} }, []string{"warning config"}},
		"network that conflicts":  {policy(func(p *Policy) { p.Notes = []PolicyNote{{Code: "network-conflict"}} }), []string{"error network-conflict"}},
		"boolean that is quoted":  {policy(func(p *Policy) { p.Notes = []PolicyNote{{Code: "quoted-bool"}} }), []string{"warning quoted-bool"}},
		"unreleased key":          {policy(func(p *Policy) { p.Notes = []PolicyNote{{Code: "container-network"}} }), []string{"info container-network"}},
		"locked without a docker": {policy(func(p *Policy) { p.Backend = pointer("local") }), []string{"warning backend-not-docker"}},
		"open without a docker":   {policy(func(p *Policy) { p.Backend, p.Position = pointer("ssh"), PositionOpen }), []string{"info backend-not-docker"}},
		"docker backend":          {policy(func(p *Policy) { p.Backend = pointer("docker") }), []string{}},
		"no reaper":               {policy(func(p *Policy) { p.OrphanReaper = pointer(false) }), []string{"info reaper-off"}},
		"two homes of one label": {func(f *Fleet, _ *DoctorInput) {
			f.Profiles = append(f.Profiles, workProfile(func(p *Profile) { p.Home = "/srv/other/profiles/work" }))
		}, []string{"warning label-clash"}},
		"shared key":                       {policy(func(p *Policy) { p.SharedContainerKey = pointer("team") }), []string{"info shared-key"}},
		"shared key with two minds":        {twoMinds, []string{"warning shared-key"}},
		"violation":                        {sandbox(func(s *Sandbox) { s.Violation, s.ViolationReason = pointer(true), "open" }), []string{"warning violation"}},
		"violation not known":              {sandbox(func(s *Sandbox) { s.Violation = nil }), []string{}},
		"void":                             {sandbox(func(s *Sandbox) { s.Findings = []Finding{{Code: "privileged", Severity: SeverityVoid}} }), []string{"error void-privileged"}},
		"weak finding":                     {sandbox(func(s *Sandbox) { s.Findings = []Finding{{Code: "devices", Severity: SeverityWeak}} }), []string{}},
		"sandbox that cannot be looked at": {sandbox(func(s *Sandbox) { s.InspectError = "timeout" }), []string{"warning sandbox-unreadable"}},
		"probe that runs":                  {sandbox(inState(StateRunning), func(s *Sandbox) { s.Scope = ScopeProbe }), []string{"info probe-running"}},
		"probe that ended":                 {sandbox(func(s *Sandbox) { s.Scope = ScopeProbe }), []string{}},
		"stranded":                         {sandbox(inState(StateRunning), func(s *Sandbox) { s.Stranded = true }), []string{"warning stranded"}},
		"label of another value":           {container(plainContainer("b1", "x", labelled(LabelAgent, "true"))), []string{"warning label-value"}},
		"sandbox's label":                  {container(plainContainer("b1", "x", labelled(LabelAgent, "1"))), []string{}},
		"allowlist that nobody uses": {func(_ *Fleet, in *DoctorInput) { in.Inventories[0] = allowlistInventory() }, []string{
			"info egress-proxy-unused", "info egress-network-unused",
		}},
		"probe that was killed": {container(plainContainer("b1", "quirky_name", sizeProbe)), []string{"info probe-leftover"}},
		"proxy that is down": {func(f *Fleet, _ *DoctorInput) {
			f.Egress = []EgressPair{{Engine: "local", Network: NewText(fixtureAllowlist), Sandboxes: []ID{planID("a1")}}}
		}, []string{"warning egress-proxy-down"}},
		"lookalike":                     {container(plainContainer("b1", "hermes-0123abcd", sleeps)), []string{"info lookalike"}},
		"lookalike with a label":        {container(plainContainer("b1", "hermes-0123abcd", sleeps, labelled(LabelAgent, "1"))), []string{}},
		"lookalike that does not sleep": {container(plainContainer("b1", "hermes-0123abcd")), []string{}},
		"Hermes itself":                 {container(plainContainer("b1", "hermes-dashboard", sleeps)), []string{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet, in := doctorWorld()
			c.change(fleet, in)
			found := Diagnose(fleet, *in)
			if got := codesOf(found); !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v\n%+v", got, c.want, found)
			}
			for _, diagnosis := range found {
				if diagnosis.Subject == "" || strings.ContainsFunc(diagnosis.Detail, func(r rune) bool { return !Printable(r) }) {
					t.Errorf("a finding that cannot be shown: %+v", diagnosis)
				}
			}
		})
	}
}

func sleeps(c *Container) { c.Command = postureTexts("sleep", "infinity") }

// twoMinds are two profiles with one key and different networks.
func twoMinds(fleet *Fleet, _ *DoctorInput) {
	fleet.Profiles[0].Policy.SharedContainerKey = pointer("team")
	fleet.Profiles = append(fleet.Profiles, workProfile(func(p *Profile) {
		p.Name, p.Label, p.Home = NewText("play"), "play", "/home/u/.hermes/profiles/play"
		p.Policy.SharedContainerKey, p.Policy.Position = pointer("team"), PositionOpen
	}))
}

func TestDiagnoseOrder(t *testing.T) {
	fleet, in := doctorWorld()
	fleet.Engines[0].Version = NewText("20.10.24")
	fleet.Sandboxes = []Sandbox{workSandbox("a1", func(s *Sandbox) {
		s.Violation, s.Findings = pointer(true), []Finding{{Code: "engine-socket", Severity: SeverityVoid}}
	})}
	got := codesOf(Diagnose(fleet, *in))
	if want := []string{"error void-engine-socket", "warning violation", "info engine-no-isolation"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func TestDiagnoseScope(t *testing.T) {
	fleet, in := doctorWorld()
	fleet.Profiles = append(fleet.Profiles, workProfile(func(p *Profile) {
		p.Name, p.Label, p.Home = NewText("play"), "play", "/home/u/.hermes/profiles/play"
		p.Policy.OrphanReaper = pointer(false)
	}))
	fleet.Sandboxes = []Sandbox{workSandbox("a1", func(s *Sandbox) { s.Violation = pointer(true) })}
	in.Inventories[0].Containers = []Container{plainContainer("b1", "hermes-0123abcd", sleeps)}
	in.Folders = []SandboxFolder{{Home: workHome, Name: NewText("x"), Path: workHome + "/sandboxes/docker/x"}}
	for name, c := range map[string]struct {
		profiles []Text
		want     []string
	}{
		"everything":  {nil, []string{"warning violation", "info reaper-off", "info folder-unused", "info lookalike"}},
		"one profile": {postureTexts("work"), []string{"warning violation", "info folder-unused"}},
		"the other":   {postureTexts("play"), []string{"info reaper-off"}},
	} {
		t.Run(name, func(t *testing.T) {
			in.Profiles = c.profiles
			if got := codesOf(Diagnose(fleet, *in)); !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
}

func TestDiagnoseFolders(t *testing.T) {
	const root = workHome + "/sandboxes/docker/"
	binds := func(source string) func(*Fleet, *DoctorInput) {
		return func(_ *Fleet, in *DoctorInput) {
			in.Inventories[0].Containers = []Container{plainContainer("b1", "x", func(c *Container) {
				c.Mounts = []Mount{{Type: NewText("bind"), Source: NewText(source), Destination: NewText("/root"), RW: true}}
			})}
		}
	}
	cases := map[string]struct {
		folder string
		change func(*Fleet, *DoctorInput)
		want   []string
	}{
		"bound by any container":      {"reports", binds(root + "reports/home"), []string{}},
		"bound as the engine sees it": {"reports", binds("/host_mnt" + root + "reports/home"), []string{}},
		"bound by its resolved path":  {"reports", binds("/real/reports/workspace"), []string{}},
		"neighbour bound":             {"reports", binds(root + "reports-2/home"), []string{"info folder-unused"}},
		"bound by nobody":             {"session_a-246d32470fb7", nil, []string{"info folder-unused"}},
		"default task":                {"default", nil, []string{"info folder-waiting"}},
		"profile's task, hashed":      {"profile_work-ccca98e57b69", nil, []string{"info folder-waiting"}},
		"another profile's task":      {DirName("profile:play"), nil, []string{"info folder-unused"}},
		"label instead of the task":   {"profile_work", nil, []string{"info folder-unused"}},
		"containers not known":        {"reports", func(_ *Fleet, in *DoctorInput) { in.Inventories = nil }, []string{"info folders-unjudged"}},
		"one engine down": {"reports", func(f *Fleet, _ *DoctorInput) {
			f.Engines = append(f.Engines, Engine{Name: "far", State: Down})
		}, []string{"error engine-down", "info folders-unjudged"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fleet, in := doctorWorld()
			in.Folders = []SandboxFolder{{Home: workHome, Name: NewText(c.folder), Path: root + c.folder, RealPath: "/real/" + c.folder}}
			if c.change != nil {
				c.change(fleet, in)
			}
			if got := codesOf(Diagnose(fleet, *in)); !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
}

func TestFolderSizes(t *testing.T) {
	for name, c := range map[string]struct {
		folder SandboxFolder
		want   string
	}{
		"empty":       {SandboxFolder{SizeKnown: true}, "0 bytes"},
		"one byte":    {SandboxFolder{SizeKnown: true, Size: 1}, "1 byte"},
		"a megabyte":  {SandboxFolder{SizeKnown: true, Size: 3 << 19}, "1.5 MiB"},
		"not known":   {SandboxFolder{SizeProblem: "it holds more than 5 files"}, "size is not known: it holds more than 5 files"},
		"link":        {SandboxFolder{Link: true}, "symbolic link"},
		"exbibytes":   {SandboxFolder{SizeKnown: true, Size: 1 << 62}, "4.0 EiB"},
		"hostile one": {SandboxFolder{SizeKnown: true, Name: NewText("a\x1b[31m")}, "0 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			fleet, in := doctorWorld()
			c.folder.Home, c.folder.Path = workHome, workHome+"/sandboxes/docker/"+c.folder.Name.Raw()
			in.Folders = []SandboxFolder{c.folder}
			found := Diagnose(fleet, *in)
			last := found[len(found)-1]
			if !strings.Contains(last.Detail, c.want) || strings.Contains(last.Subject, "\x1b") {
				t.Errorf("%+v lacks %q", last, c.want)
			}
		})
	}
}

func TestDiagnoseSaysWhatIsKept(t *testing.T) {
	fleet, in := doctorWorld()
	in.Inventories[0] = allowlistInventory()
	fleet.Profiles[0].Policy.ExtraNetwork = pointer(fixtureAllowlist)
	found := Diagnose(fleet, *in)
	kept := 0
	for _, diagnosis := range found {
		if strings.Contains(diagnosis.Detail, "kept, since the configuration of profile work names it") && diagnosis.Remedy == "" {
			kept++
		}
	}
	if kept != 2 {
		t.Errorf("%d of proxy and network are kept: %+v", kept, found)
	}
}

func TestDoctorDocumentShape(t *testing.T) {
	data, err := MarshalJSON(DoctorDocument(nil), false)
	if err != nil || string(data) != `{"schema":1,"findings":[]}` {
		t.Errorf("an empty check is %s, %v", data, err)
	}
	data, err = MarshalJSON(DoctorDocument([]Diagnosis{{Code: "c", Level: DiagnosisError, Subject: "s", Detail: "d", Remedy: "r"}}), false)
	var document struct{ Findings []map[string]string }
	if err != nil || json.Unmarshal(data, &document) != nil || len(document.Findings) != 1 || document.Findings[0]["remedy"] != "r" {
		t.Errorf("a finding is %s, %v", data, err)
	}
}
