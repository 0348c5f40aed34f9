package dockerx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"hermes-sandbox/model"
)

// fields is a JSON object whose values are left as the engine wrote them.
type fields map[string]json.RawMessage

// twinSpec is how a twin is created: the old container's configuration as the
// engine words it, with an image of its layer, on network none or on that of an
// allowlist.
type twinSpec struct {
	old, config, host fields
	// left are the fields that cannot be asked for, or not on network none, by
	// section and name.
	left map[string]bool
	// bound is true when anonymous volumes are kept by binding them by name.
	bound bool
}

// newTwinSpec reads an inspect and changes what has to differ.
func newTwinSpec(inspect json.RawMessage, image string) (twinSpec, error) {
	spec := twinSpec{left: map[string]bool{"Config.MacAddress": true, "HostConfig.Links": true}}
	if err := json.Unmarshal(inspect, &spec.old); err != nil {
		return twinSpec{}, err //nolint:wrapcheck // explained by the caller
	}
	for name, section := range map[string]*fields{"Config": &spec.config, "HostConfig": &spec.host} {
		if err := json.Unmarshal(spec.old[name], section); err != nil || *section == nil {
			return twinSpec{}, fmt.Errorf("its %s cannot be read", name)
		}
	}
	spec.config["Image"] = quoted(image)
	spec.host["NetworkMode"] = quoted(noneNetwork)
	if spec.host.str("UTSMode") == "host" {
		spec.left["Config.Hostname"] = true // the engine sets one and refuses to be given it
	}
	for name := range spec.left {
		section, key, _ := strings.Cut(name, ".")
		delete(map[string]fields{"Config": spec.config, "HostConfig": spec.host}[section], key)
	}
	return spec, spec.bindVolumes()
}

// behind puts the twin on an allowlist network, with the variables that lead to
// its proxy in place of any others of their names.
func (s *twinSpec) behind(network string) error {
	var environment []string
	if raw, ok := s.config["Env"]; ok {
		if err := json.Unmarshal(raw, &environment); err != nil {
			return errors.New("its Env cannot be read")
		}
	}
	variables := model.EgressEnv()
	environment = slices.DeleteFunc(environment, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.ContainsFunc(variables, func(v model.EnvSetting) bool { return v.Name == name })
	})
	for _, v := range variables {
		environment = append(environment, v.Name+"="+v.Value)
	}
	s.config["Env"], _ = json.Marshal(environment) // strings always can be
	s.host["NetworkMode"] = quoted(network)
	return nil
}

func quoted(value string) json.RawMessage {
	data, _ := json.Marshal(value) // a string always can be
	return data
}

// str returns a field's text, empty when it is no text.
func (f fields) str(key string) string {
	var value string
	if json.Unmarshal(f[key], &value) != nil {
		return ""
	}
	return value
}

// body is the request that creates the twin.
func (s twinSpec) body() ([]byte, error) {
	body := maps.Clone(s.config)
	host, err := json.Marshal(s.host)
	if err != nil {
		return nil, err //nolint:wrapcheck // explained by the caller
	}
	body["HostConfig"] = host
	return json.Marshal(body) //nolint:wrapcheck // explained by the caller
}

// volume is one entry of Mounts.
type volume struct {
	Type, Name, Destination string
	RW                      bool
}

// bindVolumes makes the twin use the very volumes of the old one. The engine
// would give it fresh ones wherever no name was asked for. An emptied volume
// must stay empty, so nothing is copied into it.
func (s *twinSpec) bindVolumes() error {
	var mounts []volume
	var binds []string
	var asked []fields
	for name, target := range map[string]any{"Mounts": &mounts, "Binds": &binds, "HostConfig.Mounts": &asked} {
		from, key := s.old, name
		if name != "Mounts" {
			from, key = s.host, strings.TrimPrefix(name, "HostConfig.")
		}
		if raw, ok := from[key]; ok {
			if err := json.Unmarshal(raw, target); err != nil {
				return fmt.Errorf("its %s cannot be read", name)
			}
		}
	}
	for _, v := range mounts {
		switch {
		case v.Type != "volume" || v.Name == "" || bindsTo(binds, v.Destination):
			continue
		case strings.Contains(v.Destination, ":"):
			return errors.New("a volume is mounted on a path with a colon, which cannot be bound by name")
		case nameMount(asked, v):
			continue
		}
		bind := v.Name + ":" + v.Destination + ":nocopy"
		if !v.RW {
			bind += ",ro"
		}
		binds, s.bound = append(binds, bind), true
	}
	if s.bound {
		s.host["Binds"], _ = json.Marshal(binds) // strings always can be
	}
	if len(asked) > 0 {
		s.host["Mounts"], _ = json.Marshal(asked) // it was read from JSON
	}
	return nil
}

func bindsTo(binds []string, destination string) bool {
	return slices.ContainsFunc(binds, func(bind string) bool {
		parts := strings.Split(bind, ":")
		return len(parts) > 1 && path.Clean(parts[1]) == path.Clean(destination)
	})
}

// nameMount reports whether a volume was asked for through the mounts API, and
// gives that entry the name the engine made up.
func nameMount(asked []fields, v volume) bool {
	for _, mount := range asked {
		if mount.str("Type") == "volume" && path.Clean(mount.str("Target")) == path.Clean(v.Destination) {
			mount["Source"] = quoted(v.Name)
			return true
		}
	}
	return false
}

// differences compares the twin's inspect with what was asked for and with the
// old one's, and names the fields that differ. Fields that belong to the
// instance, such as times and paths of its own files, are not compared.
func (s twinSpec) differences(inspect json.RawMessage) ([]string, error) {
	var twin fields
	if err := json.Unmarshal(inspect, &twin); err != nil {
		return nil, err //nolint:wrapcheck // explained by the caller
	}
	var config, host fields
	if json.Unmarshal(twin["Config"], &config) != nil || json.Unmarshal(twin["HostConfig"], &host) != nil {
		return nil, errors.New("its configuration cannot be read")
	}
	found := s.compare("Config.", s.config, config)
	found = append(found, s.compare("HostConfig.", s.host, host)...)
	for _, key := range []string{"Path", "Args", "Platform", "AppArmorProfile", "Mounts"} {
		if !reflect.DeepEqual(decoded(key, s.old[key]), decoded(key, twin[key])) {
			found = append(found, key)
		}
	}
	slices.Sort(found)
	return found, nil
}

func (s twinSpec) compare(section string, wanted, got fields) []string {
	keys := maps.Clone(wanted)
	maps.Copy(keys, got)
	var found []string
	for key := range keys {
		if !s.left[section+key] && !reflect.DeepEqual(decoded(key, wanted[key]), decoded(key, got[key])) {
			found = append(found, section+model.NewText(key).Display())
		}
	}
	return found
}

// decoded reads a field. Null, an empty list and an empty map are the same
// to an engine. The order of mounts and of security options means nothing; an
// engine repeats the options it adds by itself, and notes a bind's options as
// the mode of its mount.
func decoded(key string, raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(raw)
	}
	switch list := value.(type) {
	case map[string]any:
		if len(list) == 0 {
			return nil
		}
	case []any:
		if len(list) == 0 {
			return nil
		}
		switch key {
		case "Mounts":
			return byDestination(list)
		case "SecurityOpt":
			return asSet(list)
		}
	}
	return value
}

func byDestination(list []any) any {
	out := map[any]any{}
	for i, entry := range list {
		mount, ok := entry.(map[string]any)
		if !ok {
			out[i] = entry
			continue
		}
		delete(mount, "Mode")
		target, ok := mount["Destination"]
		if !ok {
			target = mount["Target"] // of a mount that was asked for
		}
		out[fmt.Sprint(target)] = mount
	}
	return out
}

func asSet(list []any) any {
	out := map[string]bool{}
	for _, entry := range list {
		out[fmt.Sprint(entry)] = true
	}
	return out
}
