package model

import (
	"fmt"
	"strings"
)

// Permission bits that let others open a socket: a connection needs to write.
const (
	groupWrites = 0o020
	worldWrites = 0o002
)

// engine checks how an engine is reached and what is known of it.
func (d *doctor) engine(engine *Engine) {
	subject, inventory := engineSubject(engine.Name), d.inventory(engine.Name)
	if engine.State != Live {
		d.engineDown(engine, inventory)
		return
	}
	d.add(DiagnosisInfo, "engine", subject, describeEngine(engine), "")
	if inventory != nil && inventory.Failure != nil {
		d.add(DiagnosisError, "engine-"+inventory.Failure.Reason, subject,
			"its containers could not be listed: "+inventory.Failure.Detail, inventory.Failure.Next)
	}
	if inventory != nil && inventory.Socket != nil {
		d.socket(engine, inventory.Socket)
	}
	d.wire(engine)
	d.clock(engine)
	d.rootless(engine)
	switch {
	case engine.Kind == kindPodman:
		d.add(DiagnosisInfo, "engine-podman", subject,
			"it is Podman: Hermes cannot read the end times it writes, so its reaper may spare everything",
			"look for stopped sandboxes with hermes-sandbox reap --dry-run")
	case !knowsIsolation(*engine):
		detail := "it has no isolated networks: on an allowlist the host's own addresses stay in reach"
		if leaksDNS(*engine) {
			detail += ", and names are looked up through the engine"
		}
		d.add(DiagnosisInfo, "engine-no-isolation", subject, detail, "update to Docker 28 or later if allowlists must be tight")
	}
}

// engineDown says why an engine could not be asked, with the kind of failure
// where it is known.
func (d *doctor) engineDown(engine *Engine, inventory *Inventory) {
	code, detail, remedy := "engine-"+string(engine.State), engine.Error, ""
	if inventory != nil && inventory.Failure != nil {
		code, detail, remedy = "engine-"+inventory.Failure.Reason, inventory.Failure.Detail, inventory.Failure.Next
	}
	if detail == "" {
		detail = "it is " + string(engine.State)
	}
	if engine.Chosen != "" {
		detail += " (" + NewText(engine.Host).Display() + ", chosen by " + NewText(engine.Chosen).Display() + ")"
	}
	if remedy == "" {
		remedy = "start the engine, or name another with --host or --context"
	}
	d.add(DiagnosisError, code, engineSubject(engine.Name), detail, remedy)
}

func describeEngine(engine *Engine) string {
	words := []string{engine.Kind}
	if !engine.Version.Empty() {
		words = append(words, engine.Version.Display())
	}
	detail := strings.Join(words, " ")
	if engine.APIVersion != "" {
		detail += ", API " + NewText(engine.APIVersion).Display()
	}
	if engine.Host != "" {
		detail += ", at " + NewText(engine.Host).Display()
	}
	if engine.Chosen != "" {
		detail += ", chosen by " + NewText(engine.Chosen).Display()
	}
	return detail
}

// socket checks who may open the engine's socket, which is as good as being
// root where the engine runs as root.
func (d *doctor) socket(engine *Engine, socket *SocketAccess) {
	subject := "socket " + NewText(socket.Path).Display()
	power := "is as good as root on this machine"
	if engine.Rootless != nil && *engine.Rootless {
		power = "can do all that the engine's owner can"
	}
	switch {
	case socket.Mode&worldWrites != 0 && socket.Reachable:
		d.add(DiagnosisError, "socket-world-writable", subject,
			fmt.Sprintf("everybody may open it (mode %04o), and who may %s", socket.Mode, power),
			"take the right from others: chmod o-rw on the socket, and SocketMode=0660 in the engine's socket unit")
	case socket.Mode&groupWrites != 0 && !socket.RootGroup:
		d.add(DiagnosisInfo, "socket-group", subject,
			fmt.Sprintf("members of the group %s may open it (mode %04o); each %s", socket.Group, socket.Mode, power),
			"keep the group small")
	}
}

// wire checks whether somebody else can speak to the engine, or for it.
func (d *doctor) wire(engine *Engine) {
	const remedy = "reach it as ssh://user@host, or with TLS whose certificates are checked on both sides (DOCKER_TLS_VERIFY=1, DOCKER_CERT_PATH)"
	switch engine.Wire {
	case WirePlain:
		d.add(DiagnosisWarning, "engine-plain", engineSubject(engine.Name),
			"it is reached by TCP without TLS: whoever reaches its port commands it, and who is on the way reads and changes what is said", remedy)
	case WireUnverified:
		d.add(DiagnosisWarning, "engine-unverified", engineSubject(engine.Name),
			"its TLS certificate is not checked: who is on the way can pass for it, and read and change what is said", remedy)
	case WireVerified:
	}
}

// clock checks that ages can be told.
func (d *doctor) clock(engine *Engine) {
	subject := engineSubject(engine.Name)
	if !engine.SkewKnown {
		d.add(DiagnosisInfo, "clock-unknown", subject, "it does not tell its time, so ages rest on our own clock", "")
		return
	}
	off := engine.Skew.Abs()
	if off <= skewTolerance {
		return
	}
	direction := "ahead of"
	if engine.Skew < 0 {
		direction = "behind"
	}
	detail := fmt.Sprintf("its clock is %s %s ours; Hermes' reaper compares the two", ShortAge(off), direction)
	if off > maxSkew {
		detail += ", so nothing is reaped here"
	}
	d.add(DiagnosisWarning, "clock-skew", subject, detail, "synchronise the clocks of both machines")
}

// rootless says what does not work with an engine that runs without root.
func (d *doctor) rootless(engine *Engine) {
	if engine.Rootless == nil || !*engine.Rootless {
		return
	}
	for i := range d.fleet.Profiles {
		p := &d.fleet.Profiles[i]
		if p.Policy != nil && p.Policy.ProxyEnabled != nil && *p.Policy.ProxyEnabled && d.coversProfile(p) {
			d.add(DiagnosisWarning, "rootless-proxy", engineSubject(engine.Name),
				"it runs rootless, where sandboxes do not reach the credential proxy of profile "+p.Name.Display()+" (#81281)",
				"set proxy.enabled to false, or use an engine that runs as root")
		}
	}
	d.add(DiagnosisInfo, "rootless", engineSubject(engine.Name), "it runs rootless", "")
}
