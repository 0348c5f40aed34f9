package simengine

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

type volume struct {
	name    string
	created time.Time
	labels  map[string]string
}

func (v *volume) mountpoint() string { return engineRoot + "/volumes/" + v.name + "/_data" }

func (v *volume) body() object {
	return object{
		"Name": v.name, "Driver": "local", "Mountpoint": v.mountpoint(), "Scope": "local", "Options": nil,
		"CreatedAt": v.created.Format(time.RFC3339), "Labels": v.labels,
	}
}

// ensureVolume returns the volume of that name, making it when it is missing.
func (e *Engine) ensureVolume(name string, labels map[string]string) *volume {
	if v := e.volumes[name]; v != nil {
		return v
	}
	v := &volume{name: name, created: e.now(), labels: labels}
	e.volumes[name] = v
	e.emitVolume(name, "create")
	return v
}

func (e *Engine) emitVolume(name, action string) {
	e.publish(event{kind: "volume", action: action, id: name, attributes: map[string]string{"driver": "local"}})
}

func (e *Engine) dropVolume(name string) {
	delete(e.volumes, name)
	e.emitVolume(name, "destroy")
}

// volumeUsed reports whether a container mounts the volume.
func (e *Engine) volumeUsed(name string) bool {
	return slices.ContainsFunc(e.containers, func(c *container) bool {
		return slices.ContainsFunc(c.mounts, func(m mountBody) bool { return m.Type == "volume" && m.Name == name })
	})
}

func (e *Engine) listVolumes(c *call) (int, any, error) {
	filters, err := parseFilters(c.query.Get("filters"), "dangling", "driver", "label", "name")
	if err != nil {
		return 0, nil, err
	}
	bodies := []object{}
	for _, name := range slices.Sorted(maps.Keys(e.volumes)) {
		v := e.volumes[name]
		dangles := func(want string) bool { return (want == "true" || want == "1") != e.volumeUsed(name) }
		if filters.labels(v.labels) && filters.any("name", func(want string) bool { return matchesPattern(want, name) }) &&
			filters.any("driver", func(want string) bool { return want == "local" }) && filters.any("dangling", dangles) {
			bodies = append(bodies, v.body())
		}
	}
	return http.StatusOK, object{"Volumes": bodies, "Warnings": nil}, nil
}

func (e *Engine) findVolume(c *call) (*volume, error) {
	if v := e.volumes[c.PathValue("name")]; v != nil {
		return v, nil
	}
	return nil, refuse(http.StatusNotFound, "there is no volume %s", c.PathValue("name"))
}

func (e *Engine) inspectVolume(c *call) (int, any, error) {
	v, err := e.findVolume(c)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, v.body(), nil
}

func (e *Engine) createVolume(c *call) (int, any, error) {
	var request struct {
		Name   string
		Labels map[string]string
	}
	if err := c.decode(&request); err != nil {
		return 0, nil, err
	}
	if request.Name == "" {
		request.Name = e.newID()
	}
	if !validName.MatchString(request.Name) {
		return 0, nil, refuse(http.StatusBadRequest, "%q is no valid volume name", request.Name)
	}
	return http.StatusCreated, e.ensureVolume(request.Name, request.Labels).body(), nil
}

func (e *Engine) removeVolume(c *call) (int, any, error) {
	v, err := e.findVolume(c)
	if err != nil {
		if c.flag("force") {
			return http.StatusNoContent, nil, nil
		}
		return 0, nil, err
	}
	if e.volumeUsed(v.name) {
		return 0, nil, refuse(http.StatusConflict, "volume %s is in use", v.name)
	}
	e.dropVolume(v.name)
	return http.StatusNoContent, nil, nil
}
