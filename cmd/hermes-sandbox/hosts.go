package main

import (
	"slices"
	"strings"

	"hermes-sandbox/egress"
	"hermes-sandbox/model"
)

// allowlistEntries returns entries of an allowlist in the form that the proxy
// compares, each once. The error names each one that cannot be used.
func allowlistEntries(entries []string) ([]string, error) {
	if _, err := egress.ParseAllowlist(entries, nil); err != nil {
		return nil, err
	}
	plain := make([]string, len(entries))
	for i, entry := range entries {
		plain[i] = strings.TrimSpace(entry)
	}
	return slices.Compact(model.EditAllowlist(nil, plain, nil)), nil
}
