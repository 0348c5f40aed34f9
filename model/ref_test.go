package model

import (
	"errors"
	"strings"
	"testing"
)

func TestResolveRef(t *testing.T) {
	named := func(name string) func(*Sandbox) { return func(s *Sandbox) { s.Name = NewText(name) } }
	fleet := planFleet(
		workSandbox("abcd1111"),
		workSandbox("abcd2222"),
		workSandbox("3f2a91c0", named("cafe0000")),
		workSandbox("cafe0000", named("victim")),
		workSandbox("1234", named("twice")),
		workSandbox("5678", named("twice"), func(s *Sandbox) { s.Engine = "remote" }),
		workSandbox("9999", named("same-id")),
		workSandbox("9999", named("same-id-elsewhere"), func(s *Sandbox) { s.Engine = "remote" }),
		workSandbox("eeee", named("")),
		workSandbox("dddd", named("broken"), func(s *Sandbox) { s.ID = "deadbeef" }),
	)
	cases := map[string]struct {
		ref  string
		want string // name, or "none n", "ambiguous n" with the number of candidates
	}{
		"exact ID":                     {string(planID("abcd1111")), "hermes-abcd1111"},
		"exact name":                   {"hermes-abcd2222", "hermes-abcd2222"},
		"name with a slash":            {"/hermes-abcd2222", "hermes-abcd2222"},
		"prefix":                       {"abcd1", "hermes-abcd1111"},
		"prefix of four":               {"3f2a", "cafe0000"},
		"prefix of two":                {"abcd", "ambiguous 2"},
		"short prefix":                 {"3f2", "none 1"},
		"capital prefix":               {"ABCD1", "none 1"},
		"name that is an ID prefix":    {"cafe0000", "ambiguous 2"},
		"name on two engines":          {"twice", "ambiguous 2"},
		"ID on two engines":            {string(planID("9999")), "ambiguous 2"},
		"part of a name":               {"victi", "none 1"},
		"nothing like it":              {"zzz", "none 0"},
		"empty":                        {"", "none 0"},
		"slash":                        {"/", "none 0"},
		"broken ID in full":            {"deadbeef", "broken"},
		"prefix of a broken ID":        {"deadb", "none 1"},
		"many candidates are cut":      {"e", "none 5"},
		"sandbox without a name by ID": {"eeee", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s, err := ResolveRef(fleet, c.ref)
			got := ""
			var none *NoSuchSandboxError
			var several *AmbiguousRefError
			switch {
			case errors.As(err, &none):
				got = "none " + string(rune('0'+len(none.Candidates)))
				if !errors.Is(err, ErrNoSuchSandbox) {
					t.Error("the error is no ErrNoSuchSandbox")
				}
			case errors.As(err, &several):
				got = "ambiguous " + string(rune('0'+len(several.Candidates)))
			default:
				got = s.Name.Raw()
			}
			if got != c.want {
				t.Errorf("ResolveRef(%q) = %s, want %s", c.ref, got, c.want)
			}
		})
	}
}

func TestRefErrorsNameCandidates(t *testing.T) {
	fleet := planFleet(workSandbox("abcd1111", func(s *Sandbox) { s.Name = NewText("evil\x1b") }), workSandbox("abcd2222"))
	for _, ref := range []string{"abcd", "evil", "nothing\x1b"} {
		_, err := ResolveRef(fleet, ref)
		if err == nil {
			t.Fatalf("%q was resolved", ref)
		}
		checkPrintable(t, err.Error())
	}
	_, err := ResolveRef(fleet, "abcd")
	if message := err.Error(); !strings.Contains(message, `evil\x1b`) || !strings.Contains(message, "abcd22220000 on local") {
		t.Errorf("error = %v", message)
	}
}

func TestFleetFind(t *testing.T) {
	fleet := planFleet(workSandbox("aa"))
	if s := fleet.Find(Key{"local", planID("aa")}); s != &fleet.Sandboxes[0] {
		t.Error("the sandbox was not found")
	}
	if fleet.Find(Key{"remote", planID("aa")}) != nil || fleet.Engine("remote") != nil {
		t.Error("something was found on an engine that is not there")
	}
}
