package dockerx

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hermes-sandbox/model"
)

// fixture reads a body from testdata.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// seed is a body without white space, which the fuzzer would only play with.
func seed(t testing.TB, name string) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, fixture(t, name)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// textOf lets cmp compare texts by their raw value.
func textOf() cmp.Option {
	return cmp.Comparer(func(a, b model.Text) bool { return a.Raw() == b.Raw() })
}

func TestDecodeListRows(t *testing.T) {
	id := sandboxID("a")
	cases := map[string]struct {
		row  string
		want model.Container
	}{
		"null":      {`null`, model.Container{Problem: "the row is null, not a container"}},
		"a list":    {`[]`, model.Container{Problem: "the row is a list, not a container"}},
		"nothing":   {`{}`, model.Container{Problem: `"" is no container ID, so nothing can be done with it`}},
		"short ID":  {`{"Id":"abc"}`, model.Container{ID: "abc", Problem: `"abc" is no container ID, so nothing can be done with it`}},
		"only ID":   {`{"Id":"` + id + `"}`, model.Container{ID: model.ID(id)}},
		"all null":  {`{"Id":"` + id + `","Names":null,"Labels":null,"NetworkSettings":null,"HostConfig":null,"Mounts":null,"Created":null,"State":null}`, model.Container{ID: model.ID(id)}},
		"no names":  {`{"Id":"` + id + `","Names":[]}`, model.Container{ID: model.ID(id)}},
		"link name": {`{"Id":"` + id + `","Names":["/other/alias","/own"]}`, model.Container{ID: model.ID(id), Name: model.NewText("own")}},
		"no slash":  {`{"Id":"` + id + `","Names":["own"]}`, model.Container{ID: model.ID(id), Name: model.NewText("own")}},
		"types swapped": {
			`{"Id":"` + id + `","Names":{},"Labels":["a"],"Created":"soon","State":7}`,
			model.Container{ID: model.ID(id), Problem: "fields of another type than expected: Names, State, Labels, Created"},
		},
		"unknown state kept": {`{"Id":"` + id + `","State":"Stopping"}`, model.Container{ID: model.ID(id), State: "stopping"}},
		"hostile label": {
			`{"Id":"` + id + `","Labels":{"hermes-agent":"1","\u001b[2J":"\u202e"}}`,
			model.Container{ID: model.ID(id), Labels: model.Labels{model.NewText("hermes-agent"): model.NewText("1"), model.NewText("\x1b[2J"): model.NewText("\u202e")}},
		},
		"label that is a number": {
			`{"Id":"` + id + `","Labels":{"hermes-agent":1}}`,
			model.Container{ID: model.ID(id), Labels: model.Labels{model.NewText("hermes-agent"): {}}, Problem: "fields of another type than expected: Labels.hermes-agent"},
		},
		"doubled key": {`{"Id":"` + id + `","State":"running","State":"exited"}`, model.Container{ID: model.ID(id), State: model.StateExited}},
		"created at a fraction": {
			`{"Id":"` + id + `","Created":1767225600.7}`,
			model.Container{ID: model.ID(id), CreatedAt: model.Stamp{Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}},
		},
		"created out of range": {`{"Id":"` + id + `","Created":1e300}`, model.Container{ID: model.ID(id), Problem: "fields of another type than expected: Created"}},
		"null endpoint": {
			`{"Id":"` + id + `","NetworkSettings":{"Networks":{"bridge":null}}}`,
			model.Container{ID: model.ID(id), Networks: model.NetworkSettings{Known: true, Endpoints: []model.Endpoint{{Network: model.NewText("bridge")}}}},
		},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := decodeList([]byte("[" + tt.row + "]"))
			if err != nil || len(got) != 1 {
				t.Fatalf("%d rows, %v", len(got), err)
			}
			if diff := cmp.Diff(tt.want, got[0], textOf()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeListOneOddRowAmongGood(t *testing.T) {
	body := `[{"Id":"` + sandboxID("a") + `"}, 7, {"Id":"` + sandboxID("b") + `"}]`
	got, err := decodeList([]byte(body))
	if err != nil || len(got) != 3 || got[0].Problem != "" || got[1].Problem == "" || got[2].ID != model.ID(sandboxID("b")) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestDecodeListThatIsNone(t *testing.T) {
	cases := map[string]string{
		"empty": "", "null": "null", "object": "{}", "web page": "<html>", "text": `"x"`, "broken off": `[{"Id":"a"`, "two values": "[] []",
		"deep": strings.Repeat("[", 20_000),
	}
	for name, body := range cases {
		t.Run(name, func(t *testing.T) {
			if got, err := decodeList([]byte(body)); err == nil {
				t.Errorf("read as %d rows", len(got))
			}
		})
	}
}

func TestDecodeRealBodies(t *testing.T) {
	containers, err := decodeList(fixture(t, "list-20.10.json"))
	if err != nil || len(containers) == 0 {
		t.Fatalf("%d rows, %v", len(containers), err)
	}
	for _, c := range containers {
		if c.Problem != "" || !c.ID.Valid() || c.Name.Empty() || !c.CreatedAt.Known() || !c.Networks.Known || c.Networks.Mode.Empty() {
			t.Errorf("row %+v", c)
		}
	}
	for _, name := range []string{"inspect-20.10.json", "inspect-1.52.json", "inspect-podman.json"} {
		t.Run(name, func(t *testing.T) {
			c, err := decodeInspect(fixture(t, name))
			if err != nil || c.Problem != "" {
				t.Fatalf("%v, problem %q", err, c.Problem)
			}
			if c.State != model.StateRunning || !c.StartedAt.Known() || c.FinishedAt.Known() || c.Pid == 0 || len(c.Networks.Endpoints) != 1 || c.Networks.Endpoints[0].IPv4.Empty() {
				t.Errorf("container %+v", c)
			}
			if c.Labels.Value("hermes-agent").Raw() != "1" || len(c.Command) != 2 || len(c.Env) == 0 || len(c.Host.CapDrop) == 0 || len(c.Mounts) == 0 {
				t.Errorf("container %+v", c)
			}
		})
	}
}

func TestDecodeInspectFields(t *testing.T) {
	body := `{"Id":"` + sandboxID("a") + `","Name":"/box","Created":"2026-01-01T00:00:00.123456789Z","Path":"sleep","Args":["infinity"],
	"State":{"Status":"exited","ExitCode":137,"OOMKilled":true,"Error":"e","StartedAt":"2026-01-01T00:00:01Z","FinishedAt":"0001-01-01T00:00:00Z","Health":{"Status":"healthy"}},
	"Config":{"Image":"img:1","User":"1000","Env":["A=b","odd"],"Labels":{"hermes-agent":"1"}},"Image":"sha256:` + sandboxID("c") + `","ExecIDs":["x"],
	"HostConfig":{"NetworkMode":"none","Privileged":true,"Binds":["/data:/data:ro,z","vol:/vol","/run/docker.sock:/sock"],
	  "Mounts":[{"Type":"bind","Source":"/hidden","Target":"/hidden"}],"PortBindings":{"80/tcp":[{"HostIp":"","HostPort":"8080"},null],"81/tcp":null},
	  "PidsLimit":null,"Memory":5368709120,"NanoCpus":1000000000,"Devices":[{"PathOnHost":"/dev/kvm"}],"DeviceRequests":[{}],"RestartPolicy":{"Name":"no"},"Init":true},
	"Mounts":[{"Type":"bind","Source":"/data","Destination":"/data","RW":false},{"Type":"volume","Name":"` + sandboxID("d") + `","Destination":"/anon","RW":true}],
	"NetworkSettings":{"Networks":{"b":{"NetworkID":"2","IPAMConfig":{"IPv4Address":"10.0.0.9"},"IPAddress":"10.0.0.9","DriverOpts":{"k":"v"},"Aliases":["x"]},"a":{}}}}`
	c, err := decodeInspect([]byte(body))
	if err != nil || c.Problem != "" {
		t.Fatalf("%v %s", err, c.Problem)
	}
	type fact struct {
		Name, Image, User string
		Exit              int
		OOM, Init         bool
		Finished          bool
		Pids              int64
		Ports             []model.Port
		Mounts            []model.Mount
		Networks          []model.Endpoint
	}
	text := model.NewText
	want := fact{
		"box", "img:1", "1000", 137, true, true, false, 0,
		[]model.Port{{Container: text("80/tcp"), HostPort: text("8080")}},
		[]model.Mount{
			{Type: text("bind"), Source: text("/data"), Destination: text("/data")},
			{Type: text("volume"), Name: text(sandboxID("d")), Destination: text("/anon"), RW: true, Anonymous: true},
			{Type: text("volume"), Name: text("vol"), Destination: text("/vol"), RW: true},
			{Type: text("bind"), Source: text("/run/docker.sock"), Destination: text("/sock"), RW: true},
			{Type: text("bind"), Source: text("/hidden"), Destination: text("/hidden"), RW: true},
		},
		[]model.Endpoint{
			{Network: text("a")},
			{Network: text("b"), NetworkID: "2", IPv4: text("10.0.0.9"), StaticIPv4: text("10.0.0.9"), DriverOpts: map[model.Text]model.Text{text("k"): text("v")}, Aliases: []model.Text{text("x")}},
		},
	}
	got := fact{
		c.Name.Raw(), c.Image.Raw(), c.User.Raw(), c.ExitCode, c.OOMKilled, c.Host.Init, c.FinishedAt.Known(), c.Host.PidsLimit,
		c.Host.Published, c.Mounts, c.Networks.Endpoints,
	}
	if diff := cmp.Diff(want, got, textOf()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecodeStamps(t *testing.T) {
	cases := map[string]struct {
		text    string
		known   bool
		problem bool
	}{
		"nanoseconds": {`"2026-01-01T00:00:00.123456789Z"`, true, false},
		"offset":      {`"2026-01-01T02:00:00+02:00"`, true, false},
		"never":       {`"0001-01-01T00:00:00Z"`, false, false},
		"empty":       {`""`, false, false},
		"words":       {`"yesterday"`, false, true},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			row, err := newObject([]byte(`{"T":` + tt.text + `}`))
			if err != nil {
				t.Fatal(err)
			}
			if got := row.stamp("T"); got.Known() != tt.known || (got.Problem != "") != tt.problem {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestDecodeNetworksThatAreOddCountAsUnknown(t *testing.T) {
	body := `[{"Id":"1","Name":"good","Driver":"bridge","Internal":true,"IPAM":{"Config":[{"Gateway":"10.0.0.1"}]},"Containers":{"` + sandboxID("a") + `":{"Name":"x"}}},
	{"Id":"2","Name":"odd","Driver":"bridge","Internal":"yes"},{"Id":"3","Name":"driverless"},7,{"Id":"4","Name":"null","Driver":"null","IPAM":null,"Containers":null,"Options":null}]`
	networks, unreadable, err := decodeNetworks([]byte(body))
	if err != nil || unreadable != 1 || len(networks) != 4 {
		t.Fatalf("%d networks, %d unreadable, %v", len(networks), unreadable, err)
	}
	if n := networks[0]; n.Error != "" || !n.Internal || n.Gateways[0].Raw() != "10.0.0.1" || n.Containers[model.ID(sandboxID("a"))].Raw() != "x" {
		t.Errorf("good network %+v", n)
	}
	for _, n := range networks[1:3] {
		if n.Error == "" || n.Internal {
			t.Errorf("odd network %+v", n)
		}
	}
	if networks[3].Error != "" {
		t.Errorf("network with nulls %+v", networks[3])
	}
}

func TestDecodeEvents(t *testing.T) {
	cases := map[string]struct {
		line string
		want Event
	}{
		"before 1.52": {
			`{"status":"exec_create: sh -c id","id":"x","from":"img","Type":"container","Action":"exec_create: sh -c id","Actor":{"ID":"x","Attributes":{"image":"img"}},"time":1767225600,"timeNano":1767225600000000001}`,
			Event{Type: "container", Action: "exec_create", Detail: model.NewText("sh -c id"), ID: "x", Attributes: map[string]model.Text{"image": model.NewText("img")}, At: time.Unix(1767225600, 1).UTC()},
		},
		"1.52":          {`{"Type":"container","Action":"die","Actor":{"ID":"x"},"time":1767225600}`, Event{Type: "container", Action: "die", ID: "x", Attributes: map[string]model.Text{}, At: time.Unix(1767225600, 0).UTC()}},
		"old only":      {`{"status":"die","id":"x"}`, Event{Action: "die", ID: "x", Attributes: map[string]model.Text{}}},
		"nulls":         {`{"Type":null,"Action":null,"Actor":null}`, Event{Attributes: map[string]model.Text{}}},
		"types swapped": {`{"Type":1,"Action":[],"Actor":"x"}`, Event{Attributes: map[string]model.Text{}}},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := decodeEvent([]byte(tt.line))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, textOf()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestClockDifferenceIsBoundedByTheRoundTrip(t *testing.T) {
	sent := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		engine time.Duration // engine's clock against our sending
		trip   time.Duration
		want   time.Duration
	}{
		"equal":           {5 * time.Millisecond, 10 * time.Millisecond, 0},
		"slow answer":     {4 * time.Second, 5 * time.Second, 0},
		"a minute ahead":  {time.Minute, time.Second, 59 * time.Second},
		"a minute behind": {-time.Minute, time.Second, -time.Minute},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			var c clock
			c.exact(sent.Add(tt.engine), sent, sent.Add(tt.trip))
			if !c.known || c.skew != tt.want {
				t.Errorf("skew %v known %v, want %v", c.skew, c.known, tt.want)
			}
		})
	}
}

func FuzzDecodeList(f *testing.F) {
	f.Add(seed(f, "list-20.10.json"))
	f.Add([]byte(`[{"Id":1,"Names":[1,"/a"],"Labels":{"a":null}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		containers, err := decodeList(data)
		if err != nil {
			return
		}
		for _, c := range containers {
			if c.Problem == "" && !c.ID.Valid() {
				t.Errorf("a row without a valid ID has no problem: %+v", c)
			}
			checkSafe(t, c.Problem)
		}
	})
}

// FuzzSplitObject finds the members that the standard decoder finds.
func FuzzSplitObject(f *testing.F) {
	f.Add(seed(f, "inspect-20.10.json"))
	f.Add([]byte(` {"a" : [1, {"b":"]}\\\""}] , "a":"x" , "\u00e9\ud800":-1.5e3,"":{} , "c":true }`))
	f.Add([]byte("{\"\xff\":[ ], \"d\":\"\xc0\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var want map[string]json.RawMessage
		err := json.Unmarshal(data, &want)
		got, err2 := newObject(data)
		if (err == nil && want != nil) != (err2 == nil) {
			t.Fatalf("%v, but %v", err, err2)
		}
		if err2 != nil {
			return
		}
		members := got.members()
		if len(members) != len(want) {
			t.Fatalf("%d members, want %d", len(members), len(want))
		}
		for _, member := range members {
			name := string(member.name)
			if raw, ok := want[name]; !ok || !bytes.Equal(raw, member.raw) {
				t.Errorf("%q is %q, want %q", name, member.raw, raw)
			}
			var text string
			if json.Unmarshal(member.raw, &text) == nil && got.str(name) != text {
				t.Errorf("%q reads %q, want %q", name, got.str(name), text)
			}
			var items []json.RawMessage
			if json.Unmarshal(member.raw, &items) == nil && items != nil {
				split, _ := splitList(member.raw)
				if len(split) != len(items) {
					t.Errorf("%q has %d items, want %d", name, len(split), len(items))
				}
			}
		}
	})
}

func FuzzDecodeInspect(f *testing.F) {
	for _, name := range []string{"inspect-20.10.json", "inspect-1.52.json", "inspect-podman.json"} {
		f.Add(seed(f, name))
	}
	f.Add([]byte(`{"HostConfig":{"Binds":["a",":",null,"::"],"Devices":[null]},"Mounts":[null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := decodeInspect(data)
		if err != nil {
			return
		}
		if !c.Inspected || c.StartedAt.Time.Year() > 9999 {
			t.Errorf("container %+v", c)
		}
		checkSafe(t, c.Problem)
	})
}

func FuzzDecodeNetworks(f *testing.F) {
	f.Add(seed(f, "networks-20.10.json"))
	f.Add([]byte(`[{"Internal":1},null,{"Containers":{"x":null}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		networks, _, err := decodeNetworks(data)
		if err != nil {
			return
		}
		for _, n := range networks {
			if n.Error == "" && n.Driver.Empty() {
				t.Errorf("a network without a driver has no error: %+v", n)
			}
			checkSafe(t, n.Error)
		}
	})
}

func FuzzDecodeEvent(f *testing.F) {
	f.Add([]byte(`{"Type":"container","Action":"exec_create: x","Actor":{"ID":"x","Attributes":{"a":"b"}},"timeNano":1}`))
	f.Add([]byte(`{"status":"die","id":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		event, err := decodeEvent(data)
		if err == nil && (strings.Contains(event.Action, ":") || event.Attributes == nil) {
			t.Errorf("event %+v", event)
		}
	})
}

// checkSafe fails when a text of ours holds what a terminal would act on.
func checkSafe(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if !model.Printable(r) {
			t.Errorf("%q is not safe to show", text)
		}
	}
	if _, err := json.Marshal(text); err != nil {
		t.Error(err)
	}
}
