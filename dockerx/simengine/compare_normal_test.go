package simengine_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	longHex  = regexp.MustCompile(`[0-9a-f]{64}`)
	shortHex = regexp.MustCompile(`^[0-9a-f]{12}$`)
	netns    = regexp.MustCompile(`^/var/run/docker/netns/[0-9a-f]{12}$`)
)

// hostNumbers are the numbers that no two engines have in common.
func hostNumbers() []string {
	return []string{"Created", "Pid", "Size", "VirtualSize", "time", "timeNano", "IPPrefixLen"}
}

// normal replaces what two engines cannot have in common: IDs, times,
// addresses, prose and the host's own facts.
func normal(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, inner := range v {
			name := longHex.ReplaceAllString(k, "<id>")
			switch {
			case k == "Data" || k == "LogConfig":
				out[name] = "<of the host>"
			case k == "Driver" && v["GraphDriver"] != nil, k == "Name" && v["Data"] != nil:
				out[name] = "<storage driver>"
			case k == "Layers" || k == "IPAM" && v["ConfigOnly"] == nil:
				out[name] = "<" + k + ">"
			default:
				out[name] = normal(k, inner)
			}
		}
		return out
	case []any:
		if key == "Aliases" {
			return len(v)
		}
		out := make([]any, 0, len(v))
		for _, inner := range v {
			out = append(out, normal(key, inner))
		}
		return out
	case json.Number:
		if slices.Contains(hostNumbers(), key) {
			if v == "0" {
				return "zero"
			}
			return "<number>"
		}
		return v.String()
	case string:
		return normalText(key, v)
	}
	return value
}

// normalEvents gives events in their order, but those of a container's several
// networks, which the real engine goes through in any order, by name.
func normalEvents(events []any) []map[string]any {
	out := make([]map[string]any, 0, len(events))
	for _, event := range events {
		if object, ok := normal("", event).(map[string]any); ok {
			out = append(out, object)
		}
	}
	for start := 0; start < len(out); {
		end := start + 1
		for end < len(out) && out[start]["Type"] == "network" && out[end]["Type"] == "network" && out[end]["Action"] == out[start]["Action"] {
			end++
		}
		slices.SortFunc(out[start:end], func(a, b map[string]any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		start = end
	}
	return out
}

func normalText(key, text string) string {
	switch {
	case text == "":
		return ""
	case key == "message" || key == "DockerVersion" || key == "Mountpoint":
		return "<" + key + ">"
	case key == "Status" && strings.Contains(text, " "):
		return strings.Fields(text)[0] + " ..."
	case shortHex.MatchString(text):
		return "<short id>"
	case netns.MatchString(text):
		return "<network namespace>"
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		if at.Year() == 1 {
			return text
		}
		return "<time>"
	}
	if _, err := netip.ParseAddr(text); err == nil {
		return "<address>"
	}
	if _, err := netip.ParsePrefix(text); err == nil {
		return "<prefix>"
	}
	if _, err := net.ParseMAC(text); err == nil && strings.Contains(text, ":") {
		return "<mac>"
	}
	return longHex.ReplaceAllString(text, "<id>")
}

// kinds gives the keys of the top level with the kinds of their values.
func kinds(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]string{}
		for key, inner := range v {
			out[key] = kind(inner)
		}
		return out
	case []any:
		if len(v) > 0 {
			return []any{kinds(v[0])}
		}
		return "empty list"
	}
	return kind(value)
}

func kind(value any) string {
	switch value.(type) {
	case map[string]any:
		return "object"
	case []any, nil:
		return "list or null"
	case json.Number:
		return "number"
	case string:
		return "text"
	}
	return "flag"
}

// smallArchive is a file system with one file.
func smallArchive(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := tar.NewWriter(&out)
	content := []byte("hello\n")
	if err := writer.WriteHeader(&tar.Header{Name: "hello", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
