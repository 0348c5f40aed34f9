package simengine

import (
	"fmt"
	"time"
)

// Populate adds n sandboxes of twenty profiles in all common states and
// postures, for tests of large fleets. The same n gives the same fleet.
func (e *Engine) Populate(n int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	states := []string{statusRunning, statusRunning, statusRunning, statusExited, statusExited, statusPaused, statusCreated}
	modes := []string{"default", "none", "default", "none"}
	for i := range n {
		profile := fmt.Sprintf("profile%02d", i%20)
		age := time.Duration(n-i) * time.Minute
		spec := Spec{
			Name: fmt.Sprintf("hermes-%08x", i), Image: demoImage, Command: []string{"sleep", "infinity"},
			State: states[i%len(states)], Created: now.Add(-age), Finished: now.Add(-age / 2),
			Labels: map[string]string{
				"hermes-agent": "1", "hermes-profile": profile, "hermes-task-id": fmt.Sprintf("task-%d", i),
				"hermes-egress": "off", "hermes-environment": "0f3c9a1d7be24865aa90cd41",
			},
			Host: HostConfig{
				NetworkMode: modes[i%len(modes)], CapDrop: []string{"ALL"}, SecurityOpt: []string{"no-new-privileges"},
				Tmpfs: map[string]string{"/tmp": "rw", "/root": "rw"},
			},
		}
		if _, err := e.add(spec); err != nil {
			return fmt.Errorf("large fleet: %w", err)
		}
	}
	return nil
}
