package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// truthTable covers one sandbox by itself: network, state, policy, generation.
const truthTable = `
# --- what is attached decides, the declared mode does not (contract B, 6.4) ---
none      none          running  locked     G4 | air-gapped - fine reused spared not-exited
none      none          running  open       G4 | air-gapped - fine reused spared not-exited
none      none          running  allowlist  G4 | air-gapped - fine reused spared not-exited
none      none          running  unknown    G4 | air-gapped - ? unknown spared not-exited
none      -             running  locked     G4 | air-gapped - fine reused spared not-exited
none      -             running  open       G4 | air-gapped - fine reused spared not-exited
default   bridge        running  locked     G4 | open - violation replaced spared not-exited
default   bridge        running  open       G4 | open - fine reused spared not-exited
default   bridge        running  allowlist  G4 | open - violation reused spared not-exited
default   bridge        running  unknown    G4 | open - ? unknown spared not-exited
bridge    bridge        running  locked     G4 | open - violation replaced spared not-exited
bridge    bridge        running  open       G4 | open - fine reused spared not-exited
bridge    bridge        running  allowlist  G4 | open - violation reused spared not-exited
default   -             running  locked     G4 | cut-off drift fine replaced spared not-exited
default   -             running  open       G4 | cut-off drift fine reused spared not-exited
default   -             running  allowlist  G4 | cut-off drift fine reused spared not-exited
default   none          running  locked     G4 | cut-off drift fine replaced spared not-exited
default   none          running  open       G4 | cut-off drift fine reused spared not-exited
bridge    -             running  locked     G4 | cut-off drift fine replaced spared not-exited
bridge    none          running  unknown    G4 | cut-off drift ? unknown spared not-exited
none      bridge        running  locked     G4 | open drift violation reused spared not-exited
none      bridge        running  open       G4 | open drift fine reused spared not-exited
none      bridge        running  allowlist  G4 | open drift violation reused spared not-exited
none      net           running  locked     G4 | open drift violation reused spared not-exited
none      inner         running  locked     G4 | internal drift violation reused spared not-exited
none      inner         running  allowlist  G4 | internal drift fine reused spared not-exited
none      inner,bridge  running  locked     G4 | open drift violation reused spared not-exited
none      vlan          running  locked     G4 | open drift violation reused spared not-exited
none      host          running  locked     G4 | host drift violation reused spared not-exited
host      host          running  locked     G4 | host - violation replaced spared not-exited
host      host          running  open       G4 | host - fine reused spared not-exited
host      host          running  allowlist  G4 | host - violation reused spared not-exited
host      host          running  unknown    G4 | host - ? unknown spared not-exited
host      -             running  locked     G4 | host - violation replaced spared not-exited
host      -             running  allowlist  G4 | host - violation reused spared not-exited
net       net           running  locked     G4 | open - violation replaced spared not-exited
net       net           running  open       G4 | open - fine reused spared not-exited
net       net           running  allowlist  G4 | open - violation reused spared not-exited
net       net,bridge    running  open       G4 | open drift fine reused spared not-exited
net       bridge        running  open       G4 | open drift fine reused spared not-exited
net       -             running  locked     G4 | cut-off drift fine replaced spared not-exited
net       inner         running  locked     G4 | internal drift violation replaced spared not-exited
default   bridge,net    running  open       G4 | open drift fine reused spared not-exited
default   bridge,inner  running  allowlist  G4 | open drift violation reused spared not-exited
default   inner         running  locked     G4 | internal drift violation replaced spared not-exited
default   inner         running  allowlist  G4 | internal drift fine reused spared not-exited
inner     inner         running  locked     G4 | internal - violation replaced spared not-exited
inner     inner         running  open       G4 | internal - fine reused spared not-exited
inner     inner         running  allowlist  G4 | internal - fine reused spared not-exited
inner     inner,bridge  running  locked     G4 | open drift violation replaced spared not-exited
inner     inner,isolated running locked     G4 | internal drift violation replaced spared not-exited
isolated  isolated      running  locked     G4 | internal - violation replaced spared not-exited
isolated  isolated      running  allowlist  G4 | internal - fine reused spared not-exited
vlan      vlan          running  locked     G4 | open - violation replaced spared not-exited
vlan      vlan          running  allowlist  G4 | open - violation reused spared not-exited
inner-vlan inner-vlan   running  locked     G4 | open - violation replaced spared not-exited
gone      gone          running  locked     G4 | unknown - ? replaced spared not-exited
gone      gone          running  allowlist  G4 | unknown - ? reused spared not-exited
gone      gone          running  open       G4 | unknown - fine reused spared not-exited
failed    failed        running  locked     G4 | unknown - ? replaced spared not-exited
failed    failed,bridge running  locked     G4 | open drift violation replaced spared not-exited
slirp4netns -           running  locked     G4 | open - violation replaced spared not-exited
pasta     -             running  allowlist  G4 | open - violation reused spared not-exited

# --- another container's network ---
container:peer      -   running  locked     G4 | shared:air-gapped - fine replaced spared not-exited
container:peer      -   running  open       G4 | shared:air-gapped - fine reused spared not-exited
container:peer      -   running  allowlist  G4 | shared:air-gapped - fine reused spared not-exited
container:open-peer -   running  locked     G4 | shared:open - violation replaced spared not-exited
container:open-peer -   running  allowlist  G4 | shared:open - violation reused spared not-exited
container:open-peer -   running  open       G4 | shared:open - fine reused spared not-exited
container:missing   -   running  locked     G4 | shared:unknown - ? replaced spared not-exited
container:missing   -   running  open       G4 | shared:unknown - fine reused spared not-exited

# --- allowlist networks (contract 6.4.6) ---
egress    egress        running  allowlist  G4 | allowlist - fine reused spared not-exited
egress    egress        running  locked     G4 | allowlist - violation replaced spared not-exited
egress    egress        running  open       G4 | allowlist - fine reused spared not-exited
egress    egress        running  allowlist  G4/proxy-down | internal - fine reused spared not-exited
egress    egress        running  locked     G4/proxy-down | internal - violation replaced spared not-exited
egress    egress        running  locked     G4/egress-isolated            | allowlist - violation replaced spared not-exited
egress    egress        running  locked     G4/egress-isolated,proxy-down | cut-off - fine replaced spared not-exited
egress    egress,bridge running  allowlist  G4 | open drift violation reused spared not-exited
none      egress        running  locked     G4 | allowlist drift violation reused spared not-exited
default   egress        running  allowlist  G4 | allowlist drift fine reused spared not-exited

# --- the credential proxy is no boundary (contract 6.3, 6.4.7) ---
default   bridge        running  open+proxy      G4/proxied     | credential-proxied - fine reused spared not-exited
default   bridge        running  locked+proxy    G4/proxied     | credential-proxied - violation replaced spared not-exited
default   bridge        running  allowlist+proxy G4/proxied     | credential-proxied - violation reused spared not-exited
default   bridge        running  open+proxy      G4/fingerprint | open - fine reused spared not-exited
none      none          running  locked+proxy    G4/proxied     | air-gapped - fine reused spared not-exited
default   bridge        running  open            G4/proxied     | credential-proxied - fine unmatched spared not-exited
default   bridge        running  open+proxy      G4             | open - fine unmatched spared not-exited
default   bridge        running  open+proxy?     G4             | open - fine unknown spared not-exited
default   bridge        running  open+proxy?     G4/no-egress   | open - fine unmatched spared not-exited
default   bridge        running  open            G4/no-egress   | open - fine unmatched spared not-exited

# --- every state, locked and in line (contract 3.1, C.9 to C.12) ---
none      none          created       locked G4 | air-gapped - fine started spared not-exited
none      none          paused        locked G4 | air-gapped - fine duplicated spared not-exited
none      none          restarting    locked G4 | air-gapped - fine attached-broken spared not-exited
none      none          removing      locked G4 | air-gapped - fine duplicated spared not-exited
none      none          dead          locked G4 | air-gapped - fine duplicated spared not-exited
none      none          stopped       locked G4 | air-gapped - fine unknown spared not-exited
none      none          exited:5m     locked G4 | air-gapped - fine started spared too-young
none      none          exited:599s   locked G4 | air-gapped - fine started spared too-young
none      none          exited:600s   locked G4 | air-gapped - fine reaped-first reaped eligible
none      none          exited:1h     locked G4 | air-gapped - fine reaped-first reaped eligible
none      none          exited:zero   locked G4 | air-gapped - fine started spared age-unknown
none      none          exited:garbage locked G4 | air-gapped - fine started spared age-unknown
none      none          exited:-1h    locked G4 | air-gapped - fine started spared clock-skew

# --- the network guard looks at the declared mode in every state (C.6) ---
default   bridge        created       locked G4 | open - violation replaced spared not-exited
default   bridge        paused        locked G4 | open - violation replaced spared not-exited
default   bridge        restarting    locked G4 | open - violation replaced spared not-exited
default   bridge        dead          locked G4 | open - violation replaced spared not-exited
default   bridge        exited:5m     locked G4 | open - violation replaced spared too-young
default   bridge        exited:1h     locked G4 | open - violation reaped-first reaped eligible
none      bridge        exited:5m     locked G4 | open drift violation started spared too-young
default   -             exited:5m     locked G4 | cut-off drift fine replaced spared too-young
default   bridge        running  open+network?  G4 | open - ? unknown spared not-exited
none      none          running  open+network?  G4 | air-gapped - ? reused spared not-exited

# --- every state with the network on ---
default   bridge        created       open G4 | open - fine started spared not-exited
default   bridge        paused        open G4 | open - fine duplicated spared not-exited
default   bridge        restarting    open G4 | open - fine attached-broken spared not-exited
default   bridge        removing      open G4 | open - fine duplicated spared not-exited
default   bridge        dead          open G4 | open - fine duplicated spared not-exited
default   bridge        exited:5m     open G4 | open - fine started spared too-young
default   bridge        exited:1h     open G4 | open - fine reaped-first reaped eligible

# --- reaper settings (contract 4.1) ---
default   bridge        exited:1h     open+noreaper G4 | open - fine started spared disabled
default   bridge        running       open+noreaper G4 | open - fine reused spared disabled
default   bridge        exited:119s   open+life30   G4 | open - fine started spared too-young
default   bridge        exited:120s   open+life30   G4 | open - fine reaped-first reaped eligible
default   bridge        exited:1799s  open+life900  G4 | open - fine started spared too-young
default   bridge        exited:1800s  open+life900  G4 | open - fine reaped-first reaped eligible
default   bridge        exited:1h     open+reaper?  G4 | open - fine unknown unknown no-profile
default   bridge        exited:1h     open+age?     G4 | open - fine unknown unknown no-profile
default   bridge        exited:zero   open+age?     G4 | open - fine started spared age-unknown
default   bridge        exited:1h     unknown       G4 | open - ? unknown unknown no-profile
default   bridge        exited:zero   unknown       G4 | open - ? unknown spared age-unknown

# --- clocks (contract D) ---
default   bridge        exited:1h     open G4/skew60s  | open - fine reaped-first reaped eligible
default   bridge        exited:1h     open G4/skew61s  | open - fine unknown unknown clock-skew
default   bridge        exited:1h     open G4/skew-61s | open - fine unknown unknown clock-skew
default   bridge        running       open G4/skew61s  | open - fine reused spared not-exited
default   bridge        exited:540s   open G4/skew60s  | open - fine reaped-first reaped eligible
default   bridge        exited:539s   open G4/skew60s  | open - fine started spared too-young

# --- persistence and sessions (C.1) ---
default   bridge        running       open+nopersist G4 | open - fine never spared not-exited
default   bridge        exited:1h     open+nopersist G4 | open - fine never reaped eligible
default   bridge        running       open+persist?  G4 | open - fine unknown spared not-exited
default   bridge        running       open G4/session,tmpfs | open - fine never spared not-exited
default   bridge        exited:1h     open G4/session,tmpfs | open - fine never reaped eligible
default   bridge        running       open G4/session       | open - fine never spared not-exited
default   bridge        running       unknown G4/session    | open - ? never spared not-exited
default   bridge        running       open G4/tmpfs         | open - fine reused spared not-exited
default   bridge        running       open G4/profile-task  | open - fine reused spared not-exited
none      none          running       locked G4/probe       | air-gapped - fine reused spared not-exited

# --- labels (A, C.2) ---
default   bridge        running       open G4/no-task      | open - fine unmatched spared not-exited
default   bridge        exited:1h     open G4/no-task      | open - fine unmatched reaped foreign
default   bridge        exited:1h     open G4/no-profile   | open - fine unmatched spared foreign
default   bridge        running       unknown G4/no-task   | open - ? unmatched spared not-exited
default   bridge        exited:1h     open G4/not-labelled | open - fine unmatched spared foreign
default   bridge        exited:1h     open G4/inherited    | open - fine reaped-first reaped inherited
default   bridge        exited:5m     open G4/inherited    | open - fine started spared inherited
default   bridge        exited:1h     open G4/stranger     | open - fine unmatched spared no-profile
default   bridge        running       open G4/stranger     | open - fine unmatched spared not-exited
default   bridge        running       open+key G4          | open - fine unmatched spared not-exited
default   bridge        exited:1h     open G4/other-home   | open - ? unknown reaped other-home
default   bridge        exited:5m     open G4/other-home   | open - ? unknown spared other-home

# --- generations under the newest Hermes (C.3) ---
default   bridge        running       open   G1    | open - fine unmatched spared not-exited
default   bridge        exited:1h     open   G1    | open - fine unmatched reaped eligible
none      none          running       locked G1    | air-gapped - fine unmatched spared not-exited
default   bridge        running       open   G2-G3 | open - fine unmatched spared not-exited
default   bridge        exited:1h     open   G2-G3 | open - fine unmatched reaped eligible
none      none          running       locked G2-G3 | air-gapped - fine unmatched spared not-exited
default   bridge        running       open+key?  G4 | open - fine unknown spared not-exited

# --- shared key: no environment label, the image guard instead (C.7, C.8) ---
default   bridge        running       open   G3-G4 | open - fine reused spared not-exited
default   bridge        exited:5m     open   G3-G4 | open - fine started spared too-young
default   bridge        exited:1h     open   G3-G4 | open - fine reaped-first reaped eligible
default   bridge        paused        open   G3-G4 | open - fine duplicated spared not-exited
default   bridge        running       locked G3-G4 | open - violation replaced spared not-exited
none      none          running       locked G3-G4 | air-gapped - fine reused spared not-exited
default   bridge        running       open+image2 G3-G4 | open - fine reused spared not-exited
default   bridge        running       open+pin2   G3-G4 | open - fine replaced spared not-exited
default   bridge        paused        open+pin2   G3-G4 | open - fine replaced spared not-exited
default   bridge        running       open+pin?   G3-G4 | open - fine unknown spared not-exited
default   bridge        running       open+pin2   G4    | open - fine unmatched spared not-exited
default   bridge        running       open+image2 G4    | open - fine reused spared not-exited

# --- G5: one name, errors instead of duplicates (3.2, C.11, C.13) ---
default   bridge        running       open   G5 | open - fine reused spared not-exited
default   bridge        exited:5m     open   G5 | open - fine started spared too-young
default   bridge        exited:1h     open   G5 | open - fine reaped-first reaped eligible
default   bridge        created       open   G5 | open - fine started spared not-exited
default   bridge        paused        open   G5 | open - fine refused spared not-exited
default   bridge        dead          open   G5 | open - fine refused spared not-exited
default   bridge        removing      open   G5 | open - fine refused spared not-exited
default   bridge        restarting    open   G5 | open - fine attached-broken spared not-exited
default   bridge        running       locked G5 | open - violation replaced spared not-exited
none      none          running       locked G5 | air-gapped - fine reused spared not-exited
default   bridge        running       open   G5/renamed | open - fine unmatched spared not-exited
default   bridge        running       open   G4/adopted | open - fine reused spared not-exited
default   bridge        paused        open   G4/adopted | open - fine refused spared not-exited
default   bridge        running       open+pin2 G4/adopted | open - fine replaced spared not-exited

# --- what could not be inspected ---
none      none          running       locked G4/inspect-failed | unknown - ? replaced spared not-exited
none      none          running       open   G4/inspect-failed | unknown - fine reused spared not-exited
default   bridge        running       locked G4/uninspected | unknown - ? replaced spared not-exited
default   bridge        running       open   G4/uninspected | unknown - fine reused spared not-exited
default   bridge        exited:1h     open   G4/uninspected | unknown - fine started spared age-unknown
`

// truthGot assesses the left side of a row with some of the rules taken away.
func truthGot(t testing.TB, left string, change func(*assessor)) string {
	t.Helper()
	in := truthWorld(t, left)
	a := newAssessor(&in)
	if change != nil {
		change(a)
	}
	fleet := a.assess()
	if len(fleet.Sandboxes) != 1 {
		t.Fatalf("%q gives %d sandboxes", left, len(fleet.Sandboxes))
	}
	return truthLine(&fleet.Sandboxes[0])
}

func TestVerdictsMatchTheContract(t *testing.T) {
	rows := truthRows(truthTable)
	if len(rows) < 150 {
		t.Fatalf("the table has %d rows, want 150 at least", len(rows))
	}
	for _, row := range rows {
		left, want, _ := strings.Cut(row, "|")
		t.Run(strings.Join(strings.Fields(left), " "), func(t *testing.T) {
			if got := truthGot(t, left, nil); got != strings.TrimSpace(want) {
				t.Errorf("\n got %s\nwant %s", got, strings.TrimSpace(want))
			}
		})
	}
}

// without returns a change that takes the rule at a position of a table away.
func without(table string, position int) func(*assessor) {
	return func(a *assessor) {
		switch table {
		case "reap":
			a.reapRules = append(a.reapRules[:position:position], a.reapRules[position+1:]...)
		case "match":
			a.matchRules = slices.Delete(slices.Clone(a.matchRules), position, position+1)
			a.reuseRules = slices.Delete(slices.Clone(a.reuseRules), position, position+1)
		case "take":
			at := len(a.matchRules) + position
			a.reuseRules = slices.Delete(slices.Clone(a.reuseRules), at, at+1)
		}
	}
}

// TestEveryRuleIsNeeded takes each rule away in turn: rows must turn red, else
// the tables would not notice that it is missing.
func TestEveryRuleIsNeeded(t *testing.T) {
	tables := map[string][]string{"reap": {}, "match": {}, "take": {}}
	for _, r := range reapRules() {
		tables["reap"] = append(tables["reap"], r.name)
	}
	for _, r := range matchRules() {
		tables["match"] = append(tables["match"], r.name)
	}
	for _, r := range takeRules() {
		tables["take"] = append(tables["take"], r.name)
	}
	for table, rules := range tables {
		for position, name := range rules {
			t.Run(fmt.Sprintf("%s without %s", table, name), func(t *testing.T) {
				if red := redRows(t, without(table, position)); red == 0 {
					t.Error("no row notices that the rule is missing")
				}
			})
		}
	}
}

// redRows counts the rows of all tables that differ under a change.
func redRows(t testing.TB, change func(*assessor)) int {
	t.Helper()
	red := 0
	for _, row := range truthRows(truthTable) {
		left, want, _ := strings.Cut(row, "|")
		if truthGot(t, left, change) != strings.TrimSpace(want) {
			red++
		}
	}
	for _, row := range truthRows(groupTable) {
		left, want, _ := strings.Cut(row, "|")
		if groupGot(t, left, change) != strings.Join(strings.Fields(want), " ") {
			red++
		}
	}
	return red
}
