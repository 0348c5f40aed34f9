package dockerx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/model"
)

// staticProgram builds the program as releases are built.
func staticProgram(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hermes-sandbox")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "hermes-sandbox/cmd/hermes-sandbox")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	return path
}

// output runs a shell script in a container on a network and returns what it
// printed.
func output(t *testing.T, e *enginetest.Engine, networkName, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Wait)
	defer cancel()
	id := e.Run(t, enginetest.Spec{Network: networkName, Command: []string{"sh", "-c", script}})
	wait := e.Client.ContainerWait(ctx, string(id), client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case <-wait.Result:
	case err := <-wait.Error:
		t.Fatalf("wait for the container: %v", err)
	}
	logs, err := e.Client.ContainerLogs(ctx, string(id), client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = logs.Close() }()
	var text strings.Builder
	if _, err := stdcopy.StdCopy(&text, &text, logs); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// ask is a script that sends a request; busybox's own wget cannot run without
// a C library.
func ask(address, port, uri, host string) string {
	return fmt.Sprintf(`echo ANSWER; printf 'GET %s HTTP/1.1\r\nHost: %s\r\n\r\n' | nc -w 5 %s %s;`, uri, host, address, port)
}

func addressOn(t testing.TB, e *enginetest.Engine, id model.ID, networkName string) string {
	t.Helper()
	answer, err := e.Client.ContainerInspect(t.Context(), string(id), client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Container.NetworkSettings.Networks[networkName].IPAddress.String()
}

func connectTo(t testing.TB, e *enginetest.Engine) *Client {
	t.Helper()
	c, err := Connect(Endpoint{Name: "test", Host: e.Host})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestEnsureEgressOnARealEngine(t *testing.T) {
	e := enginetest.Require(t)
	c := connectTo(t, e)
	target := e.Run(t, enginetest.Spec{Command: []string{"sh", "-c", "mkdir /w && echo through > /w/index.html && exec httpd -f -p 8000 -h /w"}})
	site := addressOn(t, e, target, bridgeNetwork) + ":8000"
	spec := EgressSpec{
		Allow: []string{site, e.Mark + ".example"}, Binary: staticProgram(t), Ports: []int{443},
		AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("10.255.0.0/16")},
		Labels:     map[string]string{enginetest.TestLabel: e.Mark},
	}
	made, err := c.EnsureEgress(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.EnsureEgress(t.Context(), spec)
	if err != nil || again != made {
		t.Errorf("the second time: %+v, %v, want %+v again", again, err, made)
	}
	checkProxy(t, e, spec, made)
	other := spec
	other.Ports = []int{443, 8443}
	replaced, err := c.EnsureEgress(t.Context(), other)
	if err != nil || replaced.ProxyID == made.ProxyID || replaced.NetworkID != made.NetworkID {
		t.Errorf("with another port: %+v, %v, want another proxy on the network of before", replaced, err)
	}
	e.Stop(t, replaced.ProxyID)
	made, err = c.EnsureEgress(t.Context(), other)
	if err != nil || made != replaced {
		t.Errorf("after the proxy was stopped: %+v, %v, want %+v", made, err, replaced)
	}

	inside, outside := addressOn(t, e, made.ProxyID, made.Network), addressOn(t, e, made.ProxyID, bridgeNetwork)
	got := output(t, e, made.Network, "nslookup "+egressAlias+" 127.0.0.11;"+
		ask(inside, egressPort, "http://"+site+"/", site)+ask(inside, egressPort, "http://evil.example/", "evil.example")+
		strings.ReplaceAll(ask(strings.TrimSuffix(site, ":8000"), "8000", "/", site), "-w 5", "-w 1"))
	answers := strings.Split(got, "ANSWER")
	if len(answers) != 4 || !strings.Contains(answers[0], "Address: "+inside) || !strings.Contains(answers[1], "200 OK") ||
		!strings.Contains(answers[1], "through") || !strings.Contains(answers[2], "403 Forbidden: evil.example:80 is not on the allowlist") ||
		strings.Contains(answers[3], "through") {
		t.Errorf("a sandbox got\n%s\nwant the proxy's address, the listed site, 403 for another, and nothing without the proxy", got)
	}
	if got := output(t, e, "", ask(outside, egressPort, "http://"+site+"/", site)); !strings.Contains(got, "does not serve") {
		t.Errorf("a container on the bridge got %q, want that it is not served", got)
	}
	logs, err := e.Client.ContainerLogs(t.Context(), string(made.ProxyID), client.ContainerLogsOptions{ShowStdout: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = logs.Close() }()
	var decisions strings.Builder
	if _, err := stdcopy.StdCopy(&decisions, io.Discard, logs); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"reason":"listed"`, `"host":"evil.example","port":80,"verdict":"deny"`, `"reason":"client-refused"`} {
		if !strings.Contains(decisions.String(), want) {
			t.Errorf("the proxy's log lacks %s:\n%s", want, decisions.String())
		}
	}
}

// checkProxy compares the proxy with what contract 6.2 and safety ask for.
func checkProxy(t *testing.T, e *enginetest.Engine, spec EgressSpec, made Egress) {
	t.Helper()
	answer, err := e.Client.ContainerInspect(t.Context(), string(made.ProxyID), client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	proxy, host := answer.Container, answer.Container.HostConfig
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		_ = enginetest.Discard(ctx, e.Client, proxy.ID)
		_, _ = e.Client.ImageRemove(ctx, proxy.Config.Image, client.ImageRemoveOptions{})
	})
	hash := model.EgressHash(spec.Allow)
	type facts struct {
		Name, Network, User, Restart, Memory, Label string
		Entry, Security                             []string
		CapDrop                                     []string
		ReadOnly, Privileged, Running               bool
		Pids                                        int64
	}
	want := facts{
		Name: "/hermes-egress-proxy-" + hash, Network: "hermes-egress-" + hash, User: "65534:65534", Restart: "unless-stopped",
		Memory: "268435456", Label: "1", Entry: []string{"/hermes-sandbox", "egress-proxy"}, Security: []string{"no-new-privileges"},
		CapDrop: []string{"ALL"}, ReadOnly: true, Running: true, Pids: 256,
	}
	got := facts{
		Name: proxy.Name, Network: string(host.NetworkMode), User: proxy.Config.User, Restart: string(host.RestartPolicy.Name),
		Memory: fmt.Sprint(host.Memory), Label: proxy.Config.Labels["hermes.egress"], Entry: proxy.Config.Entrypoint, Security: host.SecurityOpt,
		CapDrop: host.CapDrop, ReadOnly: host.ReadonlyRootfs, Privileged: host.Privileged, Running: proxy.State.Running, Pids: *host.PidsLimit,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the proxy differs (-want +got):\n%s", diff)
	}
	var networks []string
	for name := range proxy.NetworkSettings.Networks {
		networks = append(networks, name)
	}
	slices.Sort(networks)
	if want := []string{"bridge", made.Network}; !slices.Equal(networks, want) {
		t.Errorf("the proxy is on %q, want %q", networks, want)
	}
	if endpoint := proxy.NetworkSettings.Networks[made.Network]; endpoint == nil || !slices.Contains(endpoint.Aliases, "egress-proxy") {
		t.Errorf("the proxy's endpoint is %+v, want the alias egress-proxy", endpoint)
	}
	for _, want := range []string{"EGRESS_ALLOWLIST=" + model.EgressAllowlist(spec.Allow), "PROXY_PORT=8888", "EGRESS_PORTS=443", "EGRESS_ALLOW_CIDRS=10.255.0.0/16"} {
		if !slices.Contains(proxy.Config.Env, want) {
			t.Errorf("the proxy's environment %q lacks %s", proxy.Config.Env, want)
		}
	}
}

func TestEnsureEgressLeavesWhatOnlyHasTheName(t *testing.T) {
	e := enginetest.Require(t)
	c := connectTo(t, e)
	labels := map[string]string{enginetest.TestLabel: e.Mark}
	for name, c2 := range map[string]struct {
		internal bool
		label    bool
		proxy    bool
	}{
		"open network":      {internal: false, label: true},
		"unlabelled":        {internal: true},
		"another container": {internal: true, label: true, proxy: true},
	} {
		t.Run(name, func(t *testing.T) {
			spec := EgressSpec{Allow: []string{e.Mark + "." + strings.ReplaceAll(name, " ", "-") + ".example"}, Labels: labels, Image: e.Image}
			networkName, proxyName := model.EgressNames(spec.Allow)
			marks := map[string]string{enginetest.TestLabel: e.Mark}
			if c2.label {
				marks[model.LabelAllowlist] = "1"
			}
			if _, err := e.Client.NetworkCreate(t.Context(), networkName, client.NetworkCreateOptions{Driver: "bridge", Internal: c2.internal, Labels: marks}); err != nil {
				t.Fatal(err)
			}
			if c2.proxy {
				e.Run(t, enginetest.Spec{Name: proxyName, Created: true})
			}
			made, err := c.EnsureEgress(t.Context(), spec)
			if !errors.Is(err, ErrEgressOccupied) || made.ProxyID != "" {
				t.Errorf("made %+v, %v, want that the name is taken", made, err)
			}
		})
	}
}

func TestAReadOnlyClientMakesNoEgress(t *testing.T) {
	e := enginetest.Require(t)
	c, err := Connect(Endpoint{Name: "test", Host: e.Host}, ReadOnly())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	spec := EgressSpec{Allow: []string{e.Mark + ".read-only.example"}, Image: e.Image}
	if _, err := c.EnsureEgress(t.Context(), spec); !errors.Is(err, ErrReadOnly) {
		t.Errorf("error = %v, want read-only", err)
	}
	networkName, _ := model.EgressNames(spec.Allow)
	var found network.Inspect
	if answer, err := e.Client.NetworkInspect(t.Context(), networkName, client.NetworkInspectOptions{}); err == nil {
		found = answer.Network
	}
	if found.ID != "" {
		t.Errorf("network %s was made", found.Name)
	}
}
