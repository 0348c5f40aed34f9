package simengine

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// applyChanges applies build instructions to an image's configuration. Those
// the product sends are known; others are refused.
func applyChanges(config *Config, changes []string) error {
	for _, change := range changes {
		word, rest, _ := strings.Cut(strings.TrimSpace(change), " ")
		rest = strings.TrimSpace(rest)
		switch strings.ToUpper(word) {
		case "CMD":
			config.Cmd = commandOf(rest)
		case "ENTRYPOINT":
			config.Entrypoint = commandOf(rest)
		case "USER":
			config.User = rest
		case "WORKDIR":
			config.WorkingDir = rest
		case "ENV":
			config.Env = append(config.Env, rest)
		case "LABEL":
			key, value, _ := strings.Cut(rest, "=")
			if config.Labels == nil {
				config.Labels = map[string]string{}
			}
			config.Labels[strings.Trim(key, `"`)] = strings.Trim(value, `"`)
		default:
			return refuse(http.StatusBadRequest, "%s is no change to an image that is simulated", word)
		}
	}
	return nil
}

func commandOf(text string) words {
	var list words
	if json.Unmarshal([]byte(text), &list) == nil {
		return list
	}
	return words{"/bin/sh", "-c", text}
}

// tagImage answers POST /images/{name}/tag.
func (e *Engine) tagImage(c *call) (int, any, error) {
	name, ok := strings.CutSuffix(c.PathValue("name"), "/tag")
	if !ok {
		return 0, nil, errNoSuchPage()
	}
	i, err := e.findImage(name)
	if err != nil {
		return 0, nil, err
	}
	e.tag(i, joinReference(c.query.Get("repo"), c.query.Get("tag")))
	return http.StatusCreated, nil, nil
}

// removeImage takes a reference away and, with the last one, the image.
func (e *Engine) removeImage(c *call) (int, any, error) {
	name := c.PathValue("name")
	i, err := e.findImage(name)
	if err != nil {
		return 0, nil, err
	}
	reference := withTag(name)
	byTag := slices.Contains(i.tags, reference)
	last := !byTag || len(i.tags) == 1
	if last {
		if err := e.mayRemoveImage(i, c.flag("force")); err != nil {
			return 0, nil, err
		}
	}
	if !byTag && len(i.tags) > 1 && !c.flag("force") {
		return 0, nil, refuse(http.StatusConflict, "image %s has several references; use force", i.id)
	}
	done := []map[string]string{}
	for _, tag := range slices.Clone(i.tags) {
		if byTag && tag != reference {
			continue
		}
		i.tags = slices.DeleteFunc(i.tags, func(have string) bool { return have == tag })
		done = append(done, map[string]string{"Untagged": tag})
		e.emitImage(i, "untag", i.id)
	}
	if last && !e.imageUsed(i) {
		e.images = slices.DeleteFunc(e.images, func(have *image) bool { return have == i })
		done = append(done, map[string]string{"Deleted": i.id}, map[string]string{"Deleted": i.layers[len(i.layers)-1]})
		e.publish(event{kind: "image", action: "delete", id: i.id, attributes: map[string]string{"name": i.id}})
	}
	return http.StatusOK, done, nil
}

// mayRemoveImage refuses while a container needs the image: with force only a
// running one counts.
func (e *Engine) mayRemoveImage(i *image, force bool) error {
	for _, c := range e.containers {
		if c.image == i && (c.running() || !force) {
			return refuse(http.StatusConflict, "image %s is used by container %s", i.id, c.id)
		}
	}
	if slices.ContainsFunc(e.images, func(have *image) bool { return have.parent == i }) && len(i.tags) == 0 {
		return refuse(http.StatusConflict, "image %s has images made from it", i.id)
	}
	return nil
}

// imageUsed reports whether a container or another image rests on it.
func (e *Engine) imageUsed(i *image) bool {
	return slices.ContainsFunc(e.containers, func(c *container) bool { return c.image == i }) ||
		slices.ContainsFunc(e.images, func(have *image) bool { return have.parent == i })
}

// commitContainer makes an image of a container. The image inherits the
// container's configuration, labels included; the request's labels win.
func (e *Engine) commitContainer(c *call) (int, any, error) {
	from, err := e.lookup(c.query.Get("container"))
	if err != nil {
		return 0, nil, err
	}
	var asked Config
	if err := c.decode(&asked); err != nil {
		return 0, nil, err
	}
	if err := applyChanges(&asked, c.query["changes"]); err != nil {
		return 0, nil, err
	}
	if from.gone() {
		return 0, nil, refuse(http.StatusConflict, "container %s is marked for removal", from.id)
	}
	pause := from.status == statusRunning && (c.query.Get("pause") == "" || c.flag("pause"))
	if pause {
		e.emit(from, "pause")
	}
	config := from.config
	config.Hostname, config.Domainname, config.Image = "", "", ""
	config.Labels = maps.Clone(orEmpty(config.Labels))
	maps.Copy(config.Labels, asked.Labels)
	if len(asked.Cmd) > 0 {
		config.Cmd = asked.Cmd
	}
	setDefault(&asked.User, config.User)
	config.User = asked.User
	config.Env = append(slices.Clone(config.Env), asked.Env...)
	made := &image{
		id: "sha256:" + e.newID(), created: e.now(), config: config, parent: from.image, container: from.id, from: from.config,
		comment: c.query.Get("comment"), layers: []string{"sha256:" + e.newID()},
	}
	if from.image != nil {
		made.size = from.image.size
		made.layers = append(slices.Clone(from.image.layers), made.layers...)
	}
	e.images = append(e.images, made)
	details := []string{"comment", made.comment, "imageID", made.id}
	if repository := c.query.Get("repo"); repository != "" {
		reference := joinReference(repository, c.query.Get("tag"))
		e.tag(made, reference)
		details = append(details, "imageRef", reference)
	}
	e.emit(from, "commit", details...)
	if pause {
		e.emit(from, "unpause")
	}
	return http.StatusCreated, object{"Id": made.id}, nil
}
