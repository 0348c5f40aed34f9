package dockerx

import (
	"errors"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/enginetest"
	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/egress"
	"hermes-sandbox/model"
)

// proxyScene is a simulated engine that has an image of the proxy.
func proxyScene(t *testing.T) (*simengine.Engine, *rig, *Client, EgressSpec) {
	t.Helper()
	engine, e := simulation(t)
	engine.AddImage(egressTestImage, simengine.Config{Entrypoint: []string{"/hermes-sandbox", "egress-proxy"}})
	return engine, e, connectTo(t, e.Engine), EgressSpec{Allow: []string{"pypi.org"}, Image: egressTestImage}
}

// steps are the changes that were asked for since the last look, without the
// networks' and containers' IDs.
func steps(engine *simengine.Engine) string {
	var out []string
	for _, r := range engine.Requests() {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			out = append(out, string(r.Operation))
		}
	}
	engine.ForgetRequests()
	return strings.Join(out, " ")
}

func TestEnsureEgressBringsTheProxyBack(t *testing.T) {
	t.Parallel()
	engine, e, c, spec := proxyScene(t)
	first, err := c.EnsureEgress(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	steps(engine)
	for _, step := range []struct {
		what    string
		disturb func() error
		spec    func(EgressSpec) EgressSpec
		want    string
		anew    bool
	}{
		{what: "as it is"},
		{what: "stopped", disturb: func() error { return engine.StopContainer(first.Proxy) }, want: "start"},
		{what: "paused", disturb: func() error { return engine.PauseContainer(first.Proxy) }, want: "unpause"},
		{what: "off the bridge", disturb: func() error { return engine.DisconnectContainer("bridge", first.Proxy) }, want: "connect"},
		{what: "another port", spec: func(s EgressSpec) EgressSpec { s.Ports = []int{443}; return s }, want: "remove create connect start", anew: true},
		{what: "another range", spec: func(s EgressSpec) EgressSpec {
			s.AllowCIDRs = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
			return s
		}, want: "remove create connect start", anew: true},
		{what: "another program", spec: func(s EgressSpec) EgressSpec {
			s.Image = "proxy:newer"
			engine.AddImage(s.Image, simengine.Config{Entrypoint: []string{"/hermes-sandbox", "egress-proxy"}})
			return s
		}, want: "remove image-remove create connect start", anew: true},
	} {
		if step.disturb != nil {
			if err := step.disturb(); err != nil {
				t.Fatal(err)
			}
		}
		if step.spec != nil {
			spec = step.spec(spec)
		}
		made, err := c.EnsureEgress(t.Context(), spec)
		if err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		if got := steps(engine); got != step.want {
			t.Errorf("%s: asked for %q, want %q", step.what, got, step.want)
		}
		if (made.ProxyID != first.ProxyID) != step.anew || made.NetworkID != first.NetworkID {
			t.Errorf("%s: made %+v after %+v", step.what, made, first)
		}
		if got := stateOf(t, e, made.ProxyID); got != "running" {
			t.Errorf("%s: the proxy is %s", step.what, got)
		}
		first = made
	}
}

// TestEnsureEgressMakesItsImageAgain lets the image go between the look at it and
// the container's creation, as the removal of the last other proxy does.
func TestEnsureEgressMakesItsImageAgain(t *testing.T) {
	t.Parallel()
	engine, _, c, spec := proxyScene(t)
	spec.Image, spec.Binary = "", staticProgram(t)
	engine.Faults().Set(simengine.Create, simengine.Fault{Kind: simengine.StatusCode, Status: http.StatusNotFound, Message: "No such image", Times: 1})
	if _, err := c.EnsureEgress(t.Context(), spec); err != nil {
		t.Error(err)
	}
}

func TestEnsureEgressSaysThatSandboxesAreCutOff(t *testing.T) {
	t.Parallel()
	engine, _, c, spec := proxyScene(t)
	if _, err := c.EnsureEgress(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	spec.Ports = []int{443}
	engine.Faults().Set(simengine.Create, refusing(1))
	if _, err := c.EnsureEgress(t.Context(), spec); err == nil || !strings.Contains(err.Error(), "cut off until") {
		t.Errorf("error = %v", err)
	}
	if _, err := c.EnsureEgress(t.Context(), spec); err != nil {
		t.Errorf("the next attempt: %v", err)
	}
}

// TestEnsureEgressAndTheProxyOfHermes uses a proxy that Hermes made as long as
// nothing is asked of it that it does not know.
func TestEnsureEgressAndTheProxyOfHermes(t *testing.T) {
	t.Parallel()
	engine, e, c, spec := proxyScene(t)
	networkName, proxyName := model.EgressNames(spec.Allow)
	labels := map[string]string{model.LabelAllowlist: "1"}
	if _, err := e.Client.NetworkCreate(t.Context(), networkName, client.NetworkCreateOptions{Driver: "bridge", Internal: true, Labels: labels}); err != nil {
		t.Fatal(err)
	}
	id, err := engine.Add(simengine.Spec{
		Name: proxyName, Image: "python:3.13-slim", Labels: labels, Env: []string{"EGRESS_ALLOWLIST=pypi.org", "PROXY_PORT=8888"},
		Networks: []string{networkName, "bridge"}, Host: simengine.HostConfig{NetworkMode: networkName},
	})
	if err != nil {
		t.Fatal(err)
	}
	if made, err := c.EnsureEgress(t.Context(), spec); err != nil || string(made.ProxyID) != id {
		t.Errorf("made %+v, %v", made, err)
	}
	spec.Ports = []int{443}
	if _, err := c.EnsureEgress(t.Context(), spec); !errors.Is(err, ErrEgressOutdated) {
		t.Errorf("error = %v, want that it is outdated", err)
	}
	if got := stateOf(t, e, model.ID(id)); got != "running" {
		t.Errorf("it is %s", got)
	}
}

func TestCheckEgress(t *testing.T) {
	t.Parallel()
	engine, _, c, spec := proxyScene(t)
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := func(path string) EgressSpec { return EgressSpec{Allow: spec.Allow, Binary: path} }
	for name, row := range map[string]struct {
		spec EgressSpec
		kind error
		says string
	}{
		"image":               {spec, nil, ""},
		"image that is not":   {EgressSpec{Allow: spec.Allow, Image: "lost:1"}, ErrEgressProgram, "docker pull"},
		"no entry":            {EgressSpec{Allow: []string{"https://pypi.org"}, Image: spec.Image}, nil, "without scheme"},
		"program that is not": {program(script), ErrEgressProgram, "no program for Linux"},
		"no program":          {program(script + ".lost"), ErrEgressProgram, "no such file"},
		"dynamic program":     {program("/bin/bash"), egress.ErrNotStatic, "CGO_ENABLED=0 go build"},
	} {
		err := c.CheckEgress(t.Context(), row.spec)
		if (err == nil) != (row.says == "") || row.kind != nil && !errors.Is(err, row.kind) || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, want %q", name, err, row.says)
		}
	}
	if got := steps(engine); got != "" {
		t.Errorf("asked for %q", got)
	}
}

// TestEnsureEgressTellsAProxyThatEnds takes an image whose program does not stay.
func TestEnsureEgressTellsAProxyThatEnds(t *testing.T) {
	e := enginetest.Require(t)
	c := connectTo(t, e)
	base := e.Run(t, enginetest.Spec{Created: true})
	image := "hermes-sandbox-test:" + e.Mark
	if _, err := e.Client.ContainerCommit(t.Context(), string(base), client.ContainerCommitOptions{
		Reference: image, Changes: []string{`ENTRYPOINT ["sh","-c","echo it is broken >&2; exit 3"]`, "LABEL " + enginetest.TestLabel + "="},
	}); err != nil {
		t.Fatal(err)
	}
	spec := EgressSpec{Allow: []string{e.Mark + ".ends.example"}, Image: image, Labels: map[string]string{enginetest.TestLabel: e.Mark}}
	_, err := c.EnsureEgress(t.Context(), spec)
	_, proxy := model.EgressNames(spec.Allow)
	defer func() {
		_ = enginetest.Discard(t.Context(), e.Client, proxy)
		_, _ = e.Client.ImageRemove(t.Context(), image, client.ImageRemoveOptions{Force: true})
	}()
	if err == nil || !strings.Contains(err.Error(), "and said: it is broken") {
		t.Errorf("error = %v, want what it said", err)
	}
	answer, inspectErr := e.Client.ContainerInspect(t.Context(), proxy, client.ContainerInspectOptions{})
	if inspectErr != nil || !slices.Contains([]container.ContainerState{"restarting", "exited", "running"}, answer.Container.State.Status) {
		t.Errorf("the proxy is %v, %v; want that it is left to look at", answer.Container.State, inspectErr)
	}
}
