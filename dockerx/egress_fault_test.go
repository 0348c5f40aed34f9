package dockerx

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/client"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

// egressTestImage is the proxy's image on a simulated engine.
const egressTestImage = egressRepository + ":0123456789abcdef"

// TestEgressFaults breaks every request that makes an allowlist network and its
// proxy in every way. Success is reported only when both are there and closed,
// nobody else is touched, and the next try brings it about.
func TestEgressFaults(t *testing.T) {
	t.Parallel()
	for _, operation := range []simengine.Operation{
		simengine.ImageInspect, simengine.NetworkList, simengine.NetworkCreate, simengine.NetworkInspect, simengine.Inspect,
		simengine.Create, simengine.Connect, simengine.Start,
	} {
		for name, fault := range actionFaults() {
			t.Run(string(operation)+"/"+name, func(t *testing.T) {
				t.Parallel()
				engine, e, c, spec := proxyScene(t)
				bystander, err := engine.Add(simengine.Spec{Name: "bystander"})
				if err != nil {
					t.Fatal(err)
				}
				engine.Faults().Set(operation, fault)
				ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
				defer cancel()
				_, err = c.EnsureEgress(ctx, spec)
				engine.Faults().Clear()
				if err == nil {
					checkEgress(t, e)
				} else if shown := err.Error(); shown == "" || strings.ContainsRune(reason(err), 0x1b) {
					t.Errorf("the error %q", shown)
				}
				if _, err := c.EnsureEgress(t.Context(), spec); err != nil {
					t.Errorf("the next try: %v", err)
				}
				checkEgress(t, e)
				if state, on := stateOf(t, e, model.ID(bystander)), attachedOf(t, e, model.ID(bystander)); state != "running" || on != "bridge" {
					t.Errorf("the bystander is %s on %q", state, on)
				}
			})
		}
	}
}

// checkEgress looks at what there is.
func checkEgress(t *testing.T, e *rig) {
	t.Helper()
	found, err := e.Client.NetworkInspect(t.Context(), listA, client.NetworkInspectOptions{})
	if err != nil || !found.Network.Internal || found.Network.Labels[model.LabelAllowlist] == "" {
		t.Errorf("the network: %+v, %v", found.Network, err)
	}
	_, name := model.EgressNames(allowlistOf(listA))
	proxy, err := e.Client.ContainerInspect(t.Context(), name, client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !proxy.Container.State.Running || proxy.Container.NetworkSettings.Networks[listA] == nil || proxy.Container.NetworkSettings.Networks["bridge"] == nil {
		t.Errorf("the proxy is %s on %v", proxy.Container.State.Status, proxy.Container.NetworkSettings.Networks)
	}
}
