package model

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Labels Hermes writes (contract 1.1), and the one of allowlist networks and
// proxies (contract 6.2), which is spelled with a dot.
const (
	LabelAgent       = "hermes-agent"
	LabelTask        = "hermes-task-id"
	LabelProfile     = "hermes-profile"
	LabelEgress      = "hermes-egress"
	LabelEnvironment = "hermes-environment"
	LabelSpawn       = "hermes-spawn"
	LabelAllowlist   = "hermes.egress"
)

// Lengths fixed by Hermes, in code points or hex digits.
const (
	labelLimit        = 63
	sharedKeyLimit    = 50
	identityDigits    = 12
	egressHashDigits  = 10
	fingerprintDigits = 24
	dirNameLimit      = 128
	dirNameKeep       = 115
)

const (
	unknownLabel = "unknown"
	defaultTask  = "default"
)

// Sanitize turns a profile name or task id into a label value as Hermes does:
// every code point outside [A-Za-z0-9_.-] becomes one underscore, the result
// is cut to 63 code points, and nothing becomes "unknown" (contract 1.1). It
// is lossy and idempotent.
func Sanitize(value string) string {
	if value == "" {
		return unknownLabel
	}
	return replaceUnsafe(value, labelLimit)
}

// replaceUnsafe replaces code points that a label or directory may not hold,
// and keeps at most limit of them.
func replaceUnsafe(value string, limit int) string {
	var out strings.Builder
	count := 0
	for _, r := range value {
		if count == limit {
			break
		}
		if !safeRune(r) {
			r = '_'
		}
		out.WriteRune(r)
		count++
	}
	return out.String()
}

func safeRune(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return true
	}
	return r == '_' || r == '.' || r == '-'
}

// DirName returns the name of the directory that holds a task's bind mounts
// (contract 1.4). Unlike the label it differs for every two task ids, so it
// tells apart what the label folds together.
func DirName(task string) string {
	if task == "" {
		return defaultTask
	}
	if plainDirName(task) {
		return task
	}
	cleaned := strings.Trim(replaceUnsafe(task, dirNameKeep), "._")
	if cleaned == "" {
		cleaned = "task"
	}
	return cleaned + "-" + digest(task, identityDigits)
}

func plainDirName(task string) bool {
	if len(task) > dirNameLimit || task == "." || task == ".." || strings.HasSuffix(task, ".") {
		return false
	}
	return !strings.ContainsFunc(task, func(r rune) bool { return !safeRune(r) })
}

// SharedIdentity returns the hermes-profile label of containers under a
// docker_shared_container_key (contract 1.1).
func SharedIdentity(key string) string {
	return replaceUnsafe(Sanitize(key), sharedKeyLimit) + "-" + digest(key, identityDigits)
}

// EgressHash returns the ten hex digits that name the network and the proxy of
// an allowlist (contract 6.2). Order, case, blanks around entries and blank
// entries do not matter; repeated entries do.
func EgressHash(allowlist []string) string {
	return digest(EgressAllowlist(allowlist), egressHashDigits)
}

// EgressAllowlist returns the text that [EgressHash] is the hash of, which is
// also what the proxy gets as EGRESS_ALLOWLIST (contract 6.2).
func EgressAllowlist(allowlist []string) string {
	return strings.Join(canonicalAllowlist(allowlist), ",")
}

// EgressNames returns the names of an allowlist's network and of its proxy
// (contract 6.2).
func EgressNames(allowlist []string) (network, proxy string) {
	hash := EgressHash(allowlist)
	return egressNetworkPrefix + hash, egressProxyPrefix + hash
}

// canonicalAllowlist trims, lowers and sorts the entries and drops blank ones.
func canonicalAllowlist(allowlist []string) []string {
	entries := make([]string, 0, len(allowlist))
	for _, entry := range allowlist {
		if entry = strings.ToLower(strings.TrimSpace(entry)); entry != "" {
			entries = append(entries, entry)
		}
	}
	slices.Sort(entries)
	return entries
}

// digest returns the first digits of the SHA-256 of value in hex.
func digest(value string, digits int) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:])[:digits]
}

// hexDigits reports whether s is exactly count lower-case hex digits.
func hexDigits(s string, count int) bool {
	if len(s) != count {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// sharedLabel reports whether a hermes-profile value has the shape of a shared
// identity: it ends in a hyphen and twelve hex digits.
func sharedLabel(label string) bool {
	at := len(label) - identityDigits
	return at > 1 && label[at-1] == '-' && hexDigits(label[at:], identityDigits)
}

// Member reports whether labels make a container a sandbox: hermes-agent is
// exactly "1" (contract A). Names decide nothing.
func Member(labels Labels) bool { return labels.Value(LabelAgent).Raw() == "1" }

// EgressProxy reports whether a container is the proxy of an allowlist network:
// it has both the label and the name (contract A). A proxy is no sandbox.
func EgressProxy(c *Container) bool {
	_, labelled := c.Labels.Get(LabelAllowlist)
	return labelled && strings.HasPrefix(c.Name.Raw(), egressProxyPrefix)
}

const (
	egressNetworkPrefix = "hermes-egress-"
	egressProxyPrefix   = "hermes-egress-proxy-"
)

// allowlistHash returns the hash in the name of an allowlist network, and
// whether the name is that of one.
func allowlistHash(network Text) (string, bool) {
	hash, found := strings.CutPrefix(network.Raw(), egressNetworkPrefix)
	return hash, found && hexDigits(hash, egressHashDigits)
}
