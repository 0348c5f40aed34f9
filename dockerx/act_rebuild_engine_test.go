package dockerx

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/containerd/errdefs"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// imageOf is the image that a rebuild of a container makes.
func imageOf(id model.ID) string { return "hermes-sandbox-rebuild:" + string(id[:12]) }

// sweep removes what the engine keeps of rebuilt containers, in the end and
// after the test's containers: their images, and volumes bound by name.
func sweep(t *testing.T, e *rig) func(id model.ID) {
	t.Helper()
	var images, volumes []string
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		marked := make(client.Filters).Add("label", enginetest.TestLabel+"="+e.Mark)
		containers, err := e.Client.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: marked})
		if err != nil {
			t.Error(err)
		}
		for _, c := range containers.Items {
			if err := enginetest.Discard(ctx, e.Client, c.ID); err != nil {
				t.Error(err)
			}
		}
		for _, reference := range images {
			if _, err := e.Client.ImageRemove(ctx, reference, client.ImageRemoveOptions{PruneChildren: true}); err != nil && !errdefs.IsNotFound(err) {
				t.Error(err)
			}
		}
		for _, name := range volumes {
			if _, err := e.Client.VolumeRemove(ctx, name, client.VolumeRemoveOptions{}); err != nil && !errdefs.IsNotFound(err) {
				t.Error(err)
			}
		}
	})
	return func(id model.ID) {
		images = append(images, imageOf(id))
		for _, m := range inspectTrue(t, e, string(id)).Mounts {
			if m.Type == mount.TypeVolume {
				volumes = append(volumes, m.Name)
			}
		}
	}
}

func imageThere(t *testing.T, e *rig, reference string) bool {
	t.Helper()
	_, err := e.Client.ImageInspect(t.Context(), reference)
	if err != nil && !errdefs.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func inspectTrue(t *testing.T, e *rig, reference string) container.InspectResponse {
	t.Helper()
	answer, err := e.Client.ContainerInspect(t.Context(), reference, client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Container
}

func TestEngineRebuild(t *testing.T) { onEachEngine(t, engineRebuild) }

func engineRebuild(t *testing.T, e *rig) {
	other := e.Run(t, enginetest.Spec{})
	tests := map[string]struct {
		state  model.State
		mode   string
		after  string
		stops  bool
		starts []string
	}{
		"running":                 {model.StateRunning, "", "running", true, []string{"start"}},
		"paused":                  {model.StatePaused, "", "paused", true, []string{"start", "pause"}},
		"exited":                  {model.StateExited, "", "created", false, nil},
		"created":                 {model.StateCreated, "", "created", false, nil},
		"on the host's network":   {model.StateRunning, "host", "running", true, []string{"start"}},
		"in another's network":    {model.StateRunning, "container:" + string(other), "running", true, []string{"start"}},
		"on no network":           {model.StateRunning, "none", "running", true, []string{"start"}},
		"in another's, not begun": {model.StateCreated, "container:" + string(other), "created", false, nil},
	}
	sweepUp := sweep(t, e)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWire(t, e.Host)
			actor, c := w.connect(t, ActorOptions{Cuts: newFakeStore()})
			id := sandboxIn(t, e, test.state, func(s *enginetest.Spec) { s.Network = test.mode })
			sweepUp(id)
			before := inspectTrue(t, e, string(id))
			target := act(t, actor, c, model.ActionLockdownOn, model.MethodRebuild, id)[0]
			mustOutcome(t, target, model.OutcomeDone, "")
			if !target.NewID.Valid() || target.NewID == id {
				t.Fatalf("the twin's ID is %q", target.NewID)
			}
			after := inspectTrue(t, e, string(target.NewID))
			if after.Name != before.Name || string(after.State.Status) != test.after || after.HostConfig.NetworkMode != "none" {
				t.Errorf("%s is %s on %s", after.Name, after.State.Status, after.HostConfig.NetworkMode)
			}
			if attached := attachedOf(t, e, target.NewID); attached != "none" {
				t.Errorf("attached to %q", attached)
			}
			if got := stateOf(t, e, id); got != "gone" {
				t.Errorf("the old one is %s", got)
			}
			short, old, twin := string(id[:12]), "/containers/"+string(id), "/containers/"+string(target.NewID)
			var wanted []string
			if test.stops {
				wanted = append(wanted, "POST "+old+"/stop")
			}
			plain := strings.TrimPrefix(before.Name, "/")
			wanted = append(wanted, "POST /commit "+short, "POST "+old+"/rename?name="+plain+"-hs-old", "POST /containers/create?name="+plain)
			for _, verb := range test.starts {
				wanted = append(wanted, "POST "+twin+"/"+verb)
			}
			wanted = append(wanted, "DELETE "+old)
			if diff := cmp.Diff(wanted, shortCommits(w.changes())); diff != "" {
				t.Errorf("requests:\n%s", diff)
			}
		})
	}
}

// shortCommits leaves only the tag of a commit's query.
func shortCommits(changes []string) []string {
	for i, change := range changes {
		if query, ok := strings.CutPrefix(change, "POST /commit?"); ok {
			_, tag, _ := strings.Cut(query, "&tag=")
			changes[i] = "POST /commit " + tag
		}
	}
	return changes
}

// rich creates a container with everything that a rebuild has to carry over.
func rich(t *testing.T, e *rig, edit func(*client.ContainerCreateOptions)) model.ID {
	t.Helper()
	yes, pids, stop := true, int64(99), 3
	volume := "hermes-sandbox-test-" + e.Mark
	options := client.ContainerCreateOptions{
		Name: "rich-" + e.Mark,
		Config: &container.Config{
			Image: e.Image, User: "1000:1000", Env: []string{"A=b", "C=d <&>"}, Cmd: []string{"sleep", "infinity"}, WorkingDir: "/tmp",
			Labels: map[string]string{
				enginetest.TestLabel: e.Mark, "hermes-agent": "1", "hermes-profile": "work", "hermes-task-id": "default", "hermes-egress": "off",
				"odd\n\"key": "\x1b[31m", "hermes-$(odd) key": "$HOME",
			},
			ExposedPorts: network.PortSet{network.MustParsePort("99/tcp"): {}}, Volumes: map[string]struct{}{"/data": {}},
			Healthcheck: &container.HealthConfig{Test: []string{"CMD-SHELL", "true"}}, StopSignal: "KILL", StopTimeout: &stop,
		},
		HostConfig: &container.HostConfig{
			Binds: []string{t.TempDir() + ":/ro:ro", volume + ":/named"}, Tmpfs: map[string]string{"/x": "size=1m"}, Init: &yes, ShmSize: 32 << 20,
			CapDrop: []string{"ALL"}, CapAdd: []string{"CHOWN", "FOWNER"}, SecurityOpt: []string{"no-new-privileges"}, ReadonlyRootfs: false,
			Mounts:     []mount.Mount{{Type: mount.TypeVolume, Target: "/asked"}},
			ExtraHosts: []string{"host.docker.internal:host-gateway"},
			Resources: container.Resources{
				Memory: 64 << 20, NanoCPUs: 5e8, PidsLimit: &pids, Ulimits: []*container.Ulimit{{Name: "nofile", Soft: 100, Hard: 200}},
			},
		},
	}
	if edit != nil {
		edit(&options)
	}
	made, err := e.Client.ContainerCreate(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	e.Start(t, model.ID(made.ID))
	return model.ID(made.ID)
}

// in runs a command in a container of the real engine and returns what it
// printed.
func in(t *testing.T, e *rig, id model.ID, user string, command ...string) string {
	t.Helper()
	made, err := e.Client.ExecCreate(t.Context(), string(id), client.ExecCreateOptions{Cmd: command, User: user, AttachStdout: true, TTY: true})
	if err != nil {
		t.Fatal(err)
	}
	attached, err := e.Client.ExecAttach(t.Context(), made.ID, client.ExecAttachOptions{TTY: true})
	if err != nil {
		t.Fatal(err)
	}
	defer attached.Close()
	out, err := io.ReadAll(attached.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestEngineRebuildKeepsEverythingElse(t *testing.T) {
	tests := map[string]func(*client.ContainerCreateOptions){
		"as Hermes makes them": nil,
		"privileged": func(o *client.ContainerCreateOptions) {
			o.HostConfig.Privileged, o.HostConfig.SecurityOpt, o.HostConfig.CapAdd, o.HostConfig.CapDrop = true, nil, nil, nil
		},
		"in the host's other namespaces": func(o *client.ContainerCreateOptions) {
			o.HostConfig.NetworkMode, o.HostConfig.PidMode, o.HostConfig.IpcMode = "host", "host", "host"
			o.HostConfig.UTSMode, o.HostConfig.ShmSize, o.HostConfig.ExtraHosts = "host", 0, nil
		},
		"with an address card and a port": func(o *client.ContainerCreateOptions) {
			o.Config.Hostname, o.HostConfig.PublishAllPorts = "myhost", true
			o.HostConfig.PortBindings = network.PortMap{network.MustParsePort("99/tcp"): {{HostPort: "0"}}}
		},
	}
	for name, edit := range tests {
		t.Run(name, func(t *testing.T) {
			e := realEngine(t)
			sweepUp := sweep(t, e)
			id := rich(t, e, edit)
			sweepUp(id)
			before := inspectTrue(t, e, string(id))
			in(t, e, id, "0:0", "sh", "-c", "mkdir -p /root/deep && echo kept > /root/deep/file && echo kept > /data/anonymous && echo kept > /asked/file")
			actor, c := newWire(t, e.Host).connect(t, ActorOptions{})
			target := act(t, actor, c, model.ActionLockdownOn, model.MethodRebuild, id)[0]
			mustOutcome(t, target, model.OutcomeDone, "its anonymous volumes are bound by name now")
			if t.Failed() {
				t.FailNow()
			}
			after := inspectTrue(t, e, string(target.NewID))
			compareInspects(t, before, after)
			files := in(t, e, target.NewID, "0:0", "sh", "-c", "cat /root/deep/file /data/anonymous /asked/file")
			if strings.Join(strings.Fields(files), " ") != "kept kept kept" {
				t.Errorf("files: %q", files)
			}
			if links := in(t, e, target.NewID, "", "ls", "/sys/class/net"); slices.ContainsFunc(strings.Fields(links), func(l string) bool { return strings.HasPrefix(l, "eth") }) {
				t.Errorf("interfaces %q", links)
			}
			image, err := e.Client.ImageInspect(t.Context(), imageOf(id))
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{"hermes-agent", "hermes-profile", "hermes-task-id", "hermes-egress"} {
				if value := image.Config.Labels[key]; value != "" {
					t.Errorf("the image has label %s=%s", key, value)
				}
			}
			row, err := e.Client.ContainerList(t.Context(), client.ContainerListOptions{Filters: make(client.Filters).Add("name", "^/rich-"+e.Mark+"$")})
			if err != nil || len(row.Items) != 1 || row.Items[0].Image != imageOf(id) {
				t.Errorf("listed as %+v, %v", row.Items, err)
			}
		})
	}
}

// compareInspects fails for every field that may not differ.
func compareInspects(t *testing.T, before, after container.InspectResponse) {
	t.Helper()
	empty := cmpopts.EquateEmpty()
	if diff := cmp.Diff(before.Config, after.Config, empty, cmpopts.IgnoreFields(container.Config{}, "Image", "Hostname")); diff != "" {
		t.Errorf("Config:\n%s", diff)
	}
	if before.HostConfig.UTSMode != "host" && before.Config.Hostname != after.Config.Hostname {
		t.Errorf("host name %s, was %s", after.Config.Hostname, before.Config.Hostname)
	}
	ports := cmp.Comparer(func(a, b network.Port) bool { return a == b })
	ignored := cmpopts.IgnoreFields(container.HostConfig{}, "NetworkMode", "Binds", "Mounts", "SecurityOpt")
	if diff := cmp.Diff(before.HostConfig, after.HostConfig, empty, ignored, ports, cmpopts.EquateComparable(network.PortBinding{})); diff != "" {
		t.Errorf("HostConfig:\n%s", diff)
	}
	for _, option := range before.HostConfig.SecurityOpt {
		if !slices.Contains(after.HostConfig.SecurityOpt, option) {
			t.Errorf("security options %q, were %q", after.HostConfig.SecurityOpt, before.HostConfig.SecurityOpt)
		}
	}
	byTarget := cmpopts.SortSlices(func(a, b container.MountPoint) bool { return a.Destination < b.Destination })
	if diff := cmp.Diff(before.Mounts, after.Mounts, byTarget, cmpopts.IgnoreFields(container.MountPoint{}, "Mode")); diff != "" {
		t.Errorf("Mounts:\n%s", diff)
	}
	if before.Path != after.Path || !slices.Equal(before.Args, after.Args) || before.AppArmorProfile != after.AppArmorProfile {
		t.Errorf("it runs %s %q, was %s %q", after.Path, after.Args, before.Path, before.Args)
	}
}
