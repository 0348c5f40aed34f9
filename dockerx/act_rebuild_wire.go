package dockerx

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"hermes-sandbox/model"
)

// sizeTimeout bounds a size request: the engine walks the whole layer.
const sizeTimeout = 10 * time.Second

// LayerSize returns how many bytes a container's writable layer holds, which is
// what a rebuild has to commit. The engine counts files for it, so it is asked
// for single containers only. An error means that the size is unknown.
func (c *Client) LayerSize(ctx context.Context, id model.ID) (int64, error) {
	const op = "measure container"
	if !id.Valid() {
		return 0, c.failure(ReasonOther, op, fmt.Sprintf("%q is no full container ID", id.Short()), "", nil)
	}
	ctx, cancel := context.WithTimeout(ctx, sizeTimeout)
	defer cancel()
	data, _, err := c.get(ctx, op+" "+id.Short(), "/containers/"+string(id)+"/json", url.Values{"size": {"1"}}, inspectLimit)
	if err != nil {
		return 0, err
	}
	var answer struct {
		ID     model.ID `json:"Id"`
		SizeRw *int64
	}
	switch err := json.Unmarshal(data, &answer); {
	case err != nil:
		return 0, c.failure(ReasonBadAnswer, op, safe(err.Error()), "", err)
	case answer.ID != id:
		return 0, c.failure(ReasonBadAnswer, op, "the engine answered with another container", "", errMismatch)
	case answer.SizeRw == nil || *answer.SizeRw < 0:
		return 0, c.failure(ReasonBadAnswer, op, "the engine gives no size", "", nil)
	}
	return *answer.SizeRw, nil
}

// inspectRaw reads a container as the engine words it, so that fields we do not
// know survive. The reference is a full ID, or a name that is only looked up.
func (c *Client) inspectRaw(ctx context.Context, reference string) (json.RawMessage, error) {
	data, _, err := c.get(ctx, "inspect container", "/containers/"+reference+"/json", nil, inspectLimit)
	return data, err
}

// commitContainer makes an image of a container's layer under a name and tag.
// Changes are build instructions for the image's configuration.
func (c *Client) commitContainer(ctx context.Context, id, repository, tag string, changes []string) error {
	query := url.Values{"container": {id}, "repo": {repository}, "tag": {tag}, "changes": changes, "comment": {"hermes-sandbox rebuild"}}
	_, err := c.send(ctx, http.MethodPost, "commit container", "/commit", query, nil)
	return err
}

// imageLabels reads the labels of an image.
func (c *Client) imageLabels(ctx context.Context, reference string) (model.Labels, error) {
	const op = "inspect image"
	data, _, err := c.get(ctx, op, "/images/"+reference+"/json", nil, inspectLimit)
	if err != nil {
		return nil, err
	}
	row, err := newObject(data)
	if err != nil {
		return nil, c.failure(ReasonBadAnswer, op, safe(err.Error()), "", err)
	}
	if row.str("Id") == "" {
		return nil, c.failure(ReasonBadAnswer, op, "the engine's answer names no image", "", nil)
	}
	return row.child("Config").textMap("Labels"), nil
}

func (c *Client) renameContainer(ctx context.Context, id, name string) error {
	_, err := c.send(ctx, http.MethodPost, "rename container", "/containers/"+id+"/rename", url.Values{"name": {name}}, nil)
	return err
}

// createContainer creates a container from a body of JSON and returns its ID.
func (c *Client) createContainer(ctx context.Context, name string, body []byte) (model.ID, error) {
	const op = "create container"
	data, err := c.send(ctx, http.MethodPost, op, "/containers/create", url.Values{"name": {name}}, body)
	if err != nil {
		return "", err
	}
	var answer struct {
		ID model.ID `json:"Id"`
	}
	if err := json.Unmarshal(data, &answer); err != nil || !answer.ID.Valid() {
		return "", c.failure(ReasonBadAnswer, op, "the engine's answer names no container", "", err)
	}
	return answer.ID, nil
}

// removeImage takes a reference away, and with its last one the image. The
// engine refuses while a container uses it.
func (c *Client) removeImage(ctx context.Context, reference string) error {
	_, err := c.send(ctx, http.MethodDelete, "remove image", "/images/"+reference, nil, nil)
	return err
}

// send sends a request that changes something, with a JSON body or none.
func (c *Client) send(ctx context.Context, method, op, route string, query url.Values, body []byte) ([]byte, error) {
	version, err := c.negotiate(ctx)
	if err != nil {
		return nil, err
	}
	response, err := c.openWith(ctx, method, op, "/v"+version+route, query, body)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(response.Body, errorLimit))
	if err != nil {
		return nil, c.bodyError(ctx, op, err)
	}
	return data, nil
}
