package model

import (
	"fmt"
	"strings"
)

// reuseShadowed is C.5: the first running match is taken, else the first one
// listed. G5 has one name and so no choice.
func reuseShadowed(r *reuseSubject) reuseDecision {
	if r.version == hermesG5 {
		return next("one name, no choice")
	}
	taken := r.group.choice(r.asker, r.version)
	if r.group.before(taken.certain, r.position) {
		other, what := r.group.members[taken.certain], "newer"
		if other.State == StateRunning && r.sandbox.State != StateRunning {
			what = "running"
		}
		return stop(ReuseShadowed, fmt.Sprintf("%s has the same labels and is %s%s", nameOf(other), what, r.caveat()))
	}
	if r.group.before(taken.possible, r.position) {
		return stop(ReuseUnknown, fmt.Sprintf("%s has the same labels, and whether Hermes takes it is not known",
			nameOf(r.group.members[taken.possible])))
	}
	return next("")
}

// reuseNetworkGuard is C.6: with docker_network off, anything but a declared
// none is deleted, also what cannot be read. G1 had no guard.
func reuseNetworkGuard(r *reuseSubject) reuseDecision {
	if r.version == hermesG1 {
		return next("not looked at")
	}
	mode := r.sandbox.Networks.Mode
	if mode.Empty() {
		mode = r.sandbox.Host.NetworkMode
	}
	readable := !mode.Empty() && r.sandbox.InspectError == ""
	network := r.policy().DockerNetwork
	switch {
	case r.containerNetwork:
		return containerNetworkGuard(r, mode, readable)
	case network != nil && *network:
		return next("docker_network is on: no check")
	case readable && mode.Raw() == "none":
		return next("NetworkMode is none; the guard looks at nothing else")
	case network == nil:
		return stop(ReuseUnknown, "whether "+r.asker.name+" turns the network off is not known")
	case !readable:
		return stop(ReuseReplaced, "docker_network is off and its NetworkMode cannot be read: Hermes deletes it and makes a new one"+r.caveat())
	}
	return stop(ReuseReplaced, fmt.Sprintf("NetworkMode is %s, not none: Hermes deletes it and makes a new one", shortMode(mode))+r.caveat())
}

// containerNetworkGuard is the guard of a Hermes with container_network
// (contract 3.3), for a policy that sets it and leaves docker_network on.
func containerNetworkGuard(r *reuseSubject, mode Text, readable bool) reuseDecision {
	name, isEgress := strings.CutPrefix(mode.Raw(), egressNetworkPrefix)
	fits := readable && mode.Raw() == "none"
	switch *r.policy().ContainerNetwork {
	case "on":
		fits = !isEgress
	case "allowlist":
		fits = fits || (readable && isEgress && name == EgressHash(r.policy().Allowlist))
	}
	shown := shortMode(mode)
	if !readable {
		shown = "unreadable"
	}
	if fits {
		return next("NetworkMode is " + shown)
	}
	return stop(ReuseReplaced, fmt.Sprintf("container_network is %s and NetworkMode is %s: Hermes deletes it and makes a new one%s",
		NewText(*r.policy().ContainerNetwork), shown, r.caveat()))
}

// reuseImageGuard is C.7 and C.8. Without a shared key a changed image changes
// the environment, so only shared and adopted ones come here (contract 3.1.4).
func reuseImageGuard(r *reuseSubject) reuseDecision {
	policy := r.policy()
	switch {
	case r.version < hermesG4 || (!r.asker.shared() && !r.adopted()):
		return next("not looked at")
	case policy.Image == nil || !r.imageDiffers():
		return next("same image")
	case policy.ImagePinned == nil:
		return stop(ReuseUnknown, "the configured image differs, and whether it is pinned is not known")
	case !*policy.ImagePinned:
		return next("another image, not pinned: kept with a notice")
	case r.imageMissing:
		return next("the pinned image cannot be had: kept with a notice")
	}
	return stop(ReuseReplaced, fmt.Sprintf("its image is %s, but the configuration pins %s: Hermes deletes it and makes a new one%s",
		r.sandbox.Image, NewText(*policy.Image), r.caveat()))
}

func reuseRunning(r *reuseSubject) reuseDecision {
	if r.sandbox.State != StateRunning {
		return next("not running")
	}
	return stop(ReuseReused, "running: Hermes attaches to it as it is"+r.caveat())
}

// reuseForeignHolder is the check G5 makes before it starts anything: no other
// running sandbox may write to a host path this one writes to (contract 3.2.6).
func reuseForeignHolder(r *reuseSubject) reuseDecision {
	if r.version != hermesG5 {
		return next("not looked at")
	}
	if holder, source := r.asker.engine.foreignHolder(r.sandbox); holder != nil {
		return stop(ReuseRefused, fmt.Sprintf("%s also writes to %s: Hermes stops with an error", nameOf(holder), source))
	}
	return next("")
}

func reuseStartable(r *reuseSubject) reuseDecision {
	if r.sandbox.State != StateExited && r.sandbox.State != StateCreated {
		return next("no")
	}
	return stop(ReuseStarted, string(r.sandbox.State)+": Hermes starts it and uses it; its processes and tmpfs are gone"+r.caveat())
}

// reuseStuck is C.11: the engine refuses to start these.
func reuseStuck(r *reuseSubject) reuseDecision {
	switch r.sandbox.State {
	case StatePaused, StateDead, StateRemoving:
	default:
		return next("no")
	}
	if r.version == hermesG5 {
		return stop(ReuseRefused, string(r.sandbox.State)+": it cannot be started, and its name is taken, so Hermes stops with an error"+r.caveat())
	}
	return stop(ReuseDuplicated, string(r.sandbox.State)+": it cannot be started, so Hermes makes another one beside it"+r.caveat())
}

func reuseRestarting(r *reuseSubject) reuseDecision {
	if r.sandbox.State != StateRestarting {
		return next("no")
	}
	return stop(ReuseAttachedBroken, "restarting: Hermes attaches to it, and its commands fail"+r.caveat())
}

// reuseOtherState catches states that are not Docker's, such as Podman's.
func reuseOtherState(r *reuseSubject) reuseDecision {
	return stop(ReuseUnknown, "what Hermes makes of the state "+NewText(string(r.sandbox.State)).Display()+" is not known")
}

// caveat is the proviso of a verdict that rests on a fingerprint; empty when
// it rests on none.
func (r *reuseSubject) caveat() string {
	environment := r.version >= hermesG4 && (r.version == hermesG5 || !r.asker.shared())
	wanted, _ := r.asker.wantedEgress()
	if environment || (r.version != hermesG1 && wanted.Raw() != "off") {
		return caveat
	}
	return ""
}
