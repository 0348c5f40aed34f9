package model

import (
	"strings"
	"testing"
)

// groupTable covers sandboxes beside each other, in list order (newest first):
//
//	policy name:generation/features:state ... | name=reuse-verdict ...
const groupTable = `
# --- running first, else the first one listed (contract 3.1.3, C.5) ---
open  a:G4:running b:G4:running         | a=reused b=shadowed
open  a:G4:exited:5m b:G4:running       | a=shadowed b=reused
open  a:G4:exited:5m b:G4:exited:6m     | a=started b=shadowed
open  a:G4:paused b:G4:running          | a=shadowed b=reused
open  a:G4:running b:G4:paused          | a=reused b=shadowed
open  a:G4:paused b:G4:exited:5m        | a=duplicated b=shadowed
open  a:G4:restarting b:G4:running      | a=shadowed b=reused
open  a:G4:restarting b:G4:exited:5m    | a=attached-broken b=shadowed
open  a:G4:dead b:G4:running            | a=shadowed b=reused
open  a:G4:created b:G4:exited:5m       | a=started b=shadowed
open  a:G4:exited:5m b:G4:running c:G4:running | a=shadowed b=reused c=shadowed
# --- what rows 1 to 4 leave out shadows nothing ---
open  a:G4:exited:1h b:G4:exited:5m     | a=reaped-first b=started
open  a:G4:exited:1h b:G4:running       | a=reaped-first b=reused
open  a:G4:exited:5m b:G4:exited:1h     | a=started b=reaped-first
open+noreaper a:G4:exited:1h b:G4:exited:2h | a=started b=shadowed
open  a:G2-G3:running b:G4:running      | a=unmatched b=reused
open  a:G1:running b:G4:exited:5m       | a=unmatched b=started
open  a:G4/no-task:running b:G4:running | a=unmatched b=reused
open  a:G4/not-labelled:running b:G4:exited:5m | a=unmatched b=started
open  a:G4/profile-task:running b:G4:running   | a=reused b=reused
open+nopersist a:G4:running b:G4:running | a=never b=never
unknown a:G4:running b:G4:running       | a=unknown b=unknown
# --- the guard deletes what the look-up takes, never another one ---
locked a:G4:running b:G4/none:running   | a=replaced b=shadowed
locked a:G4/none:running b:G4:running   | a=reused b=shadowed
locked a:G4:exited:5m b:G4/none:running | a=shadowed b=reused
locked a:G4:paused b:G4:exited:5m       | a=replaced b=shadowed
# --- fingerprints: the newest one is what is wanted ---
open  a:G4/env2:running b:G4:running    | a=reused b=unmatched
open  a:G4/env2:exited:1h b:G4:running  | a=reaped-first b=unmatched
open  a:G4/env2:paused b:G4:running     | a=duplicated b=unmatched
open+proxy a:G4/fingerprint:running b:G4:running | a=reused b=unmatched
open+proxy a:G4:running b:G4/fingerprint:running | a=unmatched b=reused
open  a:G4/fingerprint:running b:G4:running      | a=unmatched b=reused
open+key a:G3-G4:running b:G3-G4:exited:5m       | a=reused b=shadowed
# --- two homes under one label (contract 2) ---
open  a:G4/other-home:running b:G4:running       | a=unknown b=shadowed
open  a:G4/other-home,env2:running b:G4:running  | a=unknown b=reused
# --- where it cannot be known whether the first one matches ---
open  a:G4/skew61s:exited:1h b:G4:created | a=unknown b=unknown
open  a:G4/skew61s:exited:1h b:G4:running | a=unknown b=reused
# --- G5 goes by name, and refuses to start beside another writer (3.2) ---
open  a:G5/env2:running b:G5:running               | a=reused b=unmatched
open  a:G5/renamed:running b:G5/env2,squats:running | a=unmatched b=refused
open  a:G5:exited:5m b:G4/env2:running             | a=started b=unmatched
open  a:G4/adopted:running b:G4:running            | a=reused b=shadowed
open  a:G5/data:exited:5m b:G4/data,profile-task:running   | a=refused b=reused
open  a:G5/data:created b:G4/data,stranger:running         | a=refused b=unmatched
open  a:G5/data:running b:G4/data,profile-task:running     | a=reused b=reused
open  a:G5/data:exited:5m b:G4/data,profile-task:exited:5m | a=started b=started
open  a:G5/data:exited:5m b:G4/profile-task:running        | a=started b=reused
open  a:G4/data:exited:5m b:G4/data,profile-task:running   | a=started b=reused
`

// groupWorld builds the input of a row of the group table and the names in it.
func groupWorld(t testing.TB, left string) (Input, []string) {
	t.Helper()
	fields := strings.Fields(left)
	snap := truthSnapshot()
	var names []string
	for i, field := range fields[1:] {
		parts := strings.SplitN(field, ":", 3)
		if len(parts) != 3 {
			t.Fatalf("sandbox %q is not name:generation:state", field)
		}
		generation, features, _ := strings.Cut(parts[1], "/")
		c := truthContainer(100+i, generation)
		truthState(t, &c, parts[2])
		truthNetwork(&c, "default", "bridge")
		for feature := range strings.SplitSeq(features, ",") {
			groupFeature(t, &c, &snap, feature)
		}
		snap.Containers = append(snap.Containers, &c)
		names = append(names, parts[0])
	}
	truthAttach(&snap)
	return Input{Now: truthNow(), Snapshots: []Snapshot{snap}, Profiles: []Profile{truthProfile(t, fields[0], "")}}, names
}

// groupFeature adds the features that matter only beside others.
func groupFeature(t testing.TB, c *Container, snap *Snapshot, feature string) {
	t.Helper()
	switch feature {
	case "none":
		truthNetwork(c, "none", "none")
	case "env2":
		c.Labels[NewText(LabelEnvironment)] = NewText(strings.Repeat("2", 24))
		if _, spawned := c.Labels.Get(LabelSpawn); spawned {
			c.Name = NewText("hermes-222222222222")
		}
	case "squats":
		c.Name = NewText("hermes-" + truthEnvironment[:12])
	case "data":
		c.Mounts = append(c.Mounts, Mount{
			Type: NewText("bind"), Source: NewText("/srv/data"), Destination: NewText("/data"), RW: true,
		})
	default:
		truthFeature(t, c, snap, feature)
	}
}

func groupGot(t testing.TB, left string, change func(*assessor)) string {
	t.Helper()
	in, names := groupWorld(t, left)
	a := newAssessor(&in)
	if change != nil {
		change(a)
	}
	fleet := a.assess()
	got := make([]string, len(names))
	for i := range fleet.Sandboxes {
		got[i] = names[i] + "=" + string(fleet.Sandboxes[i].Reuse.Verdict)
	}
	return strings.Join(got, " ")
}

func TestReuseBesideOthersMatchesTheContract(t *testing.T) {
	for _, row := range truthRows(groupTable) {
		left, want, _ := strings.Cut(row, "|")
		t.Run(strings.Join(strings.Fields(left), " "), func(t *testing.T) {
			if got := groupGot(t, left, nil); got != strings.TrimSpace(want) {
				t.Errorf("\n got %s\nwant %s", got, strings.TrimSpace(want))
			}
		})
	}
}
