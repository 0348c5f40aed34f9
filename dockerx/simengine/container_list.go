package simengine

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func (e *Engine) listContainers(c *call) (int, any, error) {
	filters, err := parseFilters(c.query.Get("filters"), "ancestor", "before", "exited", "expose", "health", "id",
		"isolation", "is-task", "label", "label!", "name", "network", "publish", "since", "status", "volume")
	if err != nil {
		return 0, nil, err
	}
	for _, status := range filters["status"] {
		if !slices.Contains([]string{
			statusCreated, statusRunning, statusPaused, statusRestarting, statusRemoving, statusExited, statusDead,
		}, status) {
			return 0, nil, refuse(http.StatusBadRequest, "%q is no state to filter by", status)
		}
	}
	limit := c.number("limit", 0)
	all := c.flag("all") || limit > 0 || len(filters["status"]) > 0
	rows := []rowBody{}
	for _, have := range e.containers {
		if !all && !have.running() || !e.listed(have, filters) {
			continue
		}
		row := e.row(have, c.version)
		if c.flag("size") {
			row.SizeRw, row.SizeRootFs = 4096, 4096
		}
		rows = append(rows, row)
		if limit > 0 && len(rows) == limit {
			break
		}
	}
	return http.StatusOK, rows, nil
}

// listed applies the filters.
func (e *Engine) listed(c *container, filters filterSet) bool {
	if len(filters) == 0 {
		return true
	}
	health := "none"
	if c.health != nil {
		health = c.health.Status
	}
	return filters.labels(c.config.Labels) &&
		filters.any("status", func(want string) bool { return want == c.status }) &&
		filters.any("id", func(want string) bool { return matchesPattern(want, c.id) }) &&
		filters.any("name", func(want string) bool {
			return matchesPattern(want, c.name) || matchesPattern(want, "/"+c.name)
		}) &&
		filters.any("health", func(want string) bool { return want == health }) &&
		filters.any("exited", func(want string) bool {
			return c.status == statusExited && want == strconv.Itoa(c.exitCode)
		}) &&
		filters.any("ancestor", func(want string) bool { return e.descends(c, want) }) &&
		filters.any("network", func(want string) bool { return c.onNetwork(want) }) &&
		filters.any("volume", func(want string) bool {
			return slices.ContainsFunc(c.mounts, func(m mountBody) bool {
				return m.Name == want || m.Source == want || m.Destination == want
			})
		}) && e.listedBeside(c, filters)
}

func (c *container) onNetwork(want string) bool {
	for name, at := range c.endpoints {
		if name == want || at.networkID != "" && strings.HasPrefix(at.networkID, want) {
			return true
		}
	}
	return false
}

func (e *Engine) descends(c *container, want string) bool {
	if c.config.Image == want {
		return true
	}
	wanted, err := e.findImage(want)
	for at := c.image; err == nil && at != nil; at = at.parent {
		if at == wanted {
			return true
		}
	}
	return false
}

// listedBeside applies the filters that name another container.
func (e *Engine) listedBeside(c *container, filters filterSet) bool {
	return filters.any("before", func(want string) bool {
		other, err := e.lookup(want)
		return err == nil && c.created.Before(other.created)
	}) && filters.any("since", func(want string) bool {
		other, err := e.lookup(want)
		return err == nil && c.created.After(other.created)
	})
}
