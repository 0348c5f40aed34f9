package model

import "testing"

func TestLevelsInOrderOfOpenness(t *testing.T) {
	t.Parallel()
	// Levels of one line are equally open, each line is more open than the last.
	order := [][]Level{
		{LevelAirGapped},
		{LevelCutOff},
		{LevelInternal},
		{LevelAllowlist},
		{LevelCredentialProxied, LevelOpen, LevelUnknown, LevelShared, Level("new"), Level("")},
		{LevelHost},
	}
	for i, line := range order {
		for _, level := range line {
			if Openness(level) != Openness(line[0]) {
				t.Errorf("%q is not as open as %q", level, line[0])
			}
			if i > 0 && Openness(level) <= Openness(order[i-1][0]) {
				t.Errorf("%q is not more open than %q", level, order[i-1][0])
			}
		}
	}
}

func TestLevelWords(t *testing.T) {
	t.Parallel()
	for level, want := range map[Level]string{
		LevelAirGapped: "air-gapped", LevelCutOff: "cut off", LevelInternal: "internal", LevelAllowlist: "allowlist",
		LevelCredentialProxied: "proxied", LevelOpen: "open", LevelHost: "host", LevelShared: "shared", LevelUnknown: "unknown",
	} {
		if got := level.Word(); got != want {
			t.Errorf("%s is worded %q, want %q", level, got, want)
		}
	}
}

func TestSeveritiesWorstFirst(t *testing.T) {
	t.Parallel()
	if SeverityVoid.Rank() >= SeverityWeak.Rank() || SeverityWeak.Rank() >= SeverityInfo.Rank() {
		t.Error("severities are not ranked void, weak, info")
	}
}
