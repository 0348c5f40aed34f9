package simengine

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"
)

// image is the engine's own record of an image.
type image struct {
	id        string // sha256:...
	tags      []string
	created   time.Time
	config    Config
	parent    *image
	container string
	from      Config // of the container it was committed from
	comment   string
	size      int64
	layers    []string
	tagged    time.Time
}

// withTag completes a reference without one.
func withTag(reference string) string {
	if at := strings.LastIndexByte(reference, ':'); at > strings.LastIndexByte(reference, '/') {
		return reference
	}
	return reference + ":latest"
}

// findImage looks an image up: reference, full ID, ID prefix.
func (e *Engine) findImage(reference string) (*image, error) {
	full := withTag(reference)
	for _, i := range e.images {
		if slices.Contains(i.tags, full) {
			return i, nil
		}
	}
	prefix := strings.TrimPrefix(reference, "sha256:")
	for _, i := range e.images {
		if prefix != "" && strings.HasPrefix(i.id, "sha256:"+prefix) {
			return i, nil
		}
	}
	return nil, refuse(http.StatusNotFound, "No such image: %s", reference)
}

// AddImage adds an image with a reference and the configuration containers
// inherit from it. The reference moves if another image has it.
func (e *Engine) AddImage(reference string, config Config) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.addImage(reference, config)
}

func (e *Engine) addImage(reference string, config Config) *image {
	made := &image{id: "sha256:" + e.newID(), created: e.now(), config: config, size: 412 << 20, layers: []string{"sha256:" + e.newID()}}
	e.images = append(e.images, made)
	e.tag(made, reference)
	return made
}

// tag points a reference at an image.
func (e *Engine) tag(i *image, reference string) {
	reference = withTag(reference)
	for _, other := range e.images {
		other.tags = slices.DeleteFunc(other.tags, func(have string) bool { return have == reference })
	}
	i.tags = append(i.tags, reference)
	i.tagged = e.now()
	e.emitImage(i, "tag", reference)
}

func (e *Engine) emitImage(i *image, action, name string) {
	attributes := map[string]string{}
	for key, value := range i.config.Labels {
		attributes[key] = value
	}
	attributes["name"] = name
	e.publish(event{kind: "image", action: action, id: i.id, attributes: attributes})
}

func (e *Engine) listImages(c *call) (int, any, error) {
	filters, err := parseFilters(c.query.Get("filters"), "before", "dangling", "label", "reference", "since", "until")
	if err != nil {
		return 0, nil, err
	}
	bodies := []object{}
	for _, i := range slices.Backward(e.images) {
		named := func(want string) bool {
			return slices.ContainsFunc(i.tags, func(tag string) bool {
				repository, _, _ := strings.Cut(tag, ":")
				return tag == want || repository == want
			})
		}
		dangling := func(want string) bool { return (want == "true" || want == "1") == (len(i.tags) == 0) }
		if !filters.labels(i.config.Labels) || !filters.any("reference", named) || !filters.any("dangling", dangling) {
			continue
		}
		body := object{
			"Id": i.id, "ParentId": i.parentID(), "RepoTags": i.tags, "RepoDigests": nil, "Created": i.created.Unix(),
			"Size": i.size, "SharedSize": -1, "Labels": i.config.Labels, "Containers": -1,
		}
		if !c.version.atLeast(44) {
			body["VirtualSize"] = i.size
		}
		bodies = append(bodies, body)
	}
	return http.StatusOK, bodies, nil
}

func (i *image) parentID() string {
	if i.parent == nil {
		return ""
	}
	return i.parent.id
}

func (e *Engine) inspectImage(c *call) (int, any, error) {
	name, ok := strings.CutSuffix(c.PathValue("name"), "/json")
	if !ok {
		return 0, nil, errNoSuchPage()
	}
	i, err := e.findImage(name)
	if err != nil {
		return 0, nil, err
	}
	data := object{"MergedDir": "", "UpperDir": "", "WorkDir": ""}
	if i.parent != nil {
		data["LowerDir"] = ""
	}
	body := object{
		"Id": i.id, "RepoTags": i.tags, "RepoDigests": []string{}, "Parent": i.parentID(), "Comment": i.comment,
		"Created": i.created, "Container": i.container, "ContainerConfig": i.from, "DockerVersion": e.version.engine(),
		"Author": "", "Config": i.config, "Architecture": "amd64", "Os": "linux", "Size": i.size, "VirtualSize": i.size,
		"GraphDriver": object{"Name": "overlay2", "Data": data},
		"RootFS":      object{"Type": "layers", "Layers": i.layers}, "Metadata": object{"LastTagTime": i.tagged},
	}
	if c.version.atLeast(44) {
		delete(body, "VirtualSize")
		delete(body, "Container")
		delete(body, "ContainerConfig")
	}
	return http.StatusOK, body, nil
}

// createImage imports a file system from the body. Nothing can be pulled:
// there is no registry behind a simulated engine.
func (e *Engine) createImage(c *call) (int, any, error) {
	if from := c.query.Get("fromImage"); from != "" {
		return 0, nil, refuse(http.StatusNotFound, "%s cannot be pulled: a simulated engine has no registry", from)
	}
	if c.query.Get("fromSrc") != "-" {
		return 0, nil, refuse(http.StatusBadRequest, "only an import from the request body is simulated")
	}
	if len(c.body) == 0 {
		return 0, nil, refuse(http.StatusInternalServerError, "the body holds no archive")
	}
	var config Config
	if err := applyChanges(&config, c.query["changes"]); err != nil {
		return 0, nil, err
	}
	layer := sha256.Sum256(c.body)
	made := &image{
		id: "sha256:" + e.newID(), created: e.now(), config: config, size: int64(len(c.body)),
		comment: "Imported from -", layers: []string{"sha256:" + hex.EncodeToString(layer[:])},
	}
	e.images = append(e.images, made)
	if repository := c.query.Get("repo"); repository != "" {
		e.tag(made, joinReference(repository, c.query.Get("tag")))
	}
	e.emitImage(made, "import", made.id)
	return http.StatusOK, object{"status": made.id}, nil
}

func joinReference(repository, tag string) string {
	if tag == "" {
		return withTag(repository)
	}
	return repository + ":" + tag
}
