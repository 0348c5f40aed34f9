//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"golang.org/x/sync/errgroup"
)

// Labels of the containers made here. Only what bears the first is removed.
const (
	benchLabel   = "hermes-sandbox.bench"
	benchProfile = "hermes-sandbox-bench"
)

// realFleet makes fleets on a real engine.
type realFleet struct {
	options *options
	out     *report
	api     *client.Client
	mark    string
	made    int
	ids     []string
}

// benchReal measures on the real engine and leaves nothing behind.
func benchReal(ctx context.Context, o *options, out *report) (err error) {
	api, err := client.New(client.WithHost(o.host))
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	defer func() { _ = api.Close() }()
	if _, err := api.Ping(ctx, client.PingOptions{NegotiateAPIVersion: true}); err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	f := &realFleet{options: o, out: out, api: api, mark: fmt.Sprintf("%d", os.Getpid())}
	defer func() { err = errors.Join(err, f.clean(context.WithoutCancel(ctx))) }()
	if err := f.grow(ctx, 220, 20); err != nil {
		return err
	}
	if err := f.first(ctx, "real, 220 (20 running)"); err != nil {
		return err
	}
	if o.wants("idle") || o.wants("remove") {
		if err := f.threeHundred(ctx); err != nil {
			return err
		}
	}
	if !o.wants("many") {
		return nil
	}
	if err := f.grow(ctx, 1_000, 0); err != nil {
		return err
	}
	return f.many(ctx)
}

// grow makes containers until there are so many, with so many of them running.
func (f *realFleet) grow(ctx context.Context, total, running int) error {
	group, limited := errgroup.WithContext(ctx)
	group.SetLimit(4)
	before := len(f.ids)
	for len(f.ids) < total {
		f.ids = append(f.ids, "")
		f.made++
		at, number := len(f.ids)-1, f.made
		group.Go(func() error {
			id, err := f.create(limited, number)
			f.ids[at] = id
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("make a fleet: %w", err)
	}
	started, limited := errgroup.WithContext(ctx)
	started.SetLimit(4)
	for at, id := range f.ids[:min(running, len(f.ids))] {
		if at < before && f.running(ctx, id) {
			continue
		}
		started.Go(func() error {
			if _, err := f.api.ContainerStart(limited, id, client.ContainerStartOptions{}); err != nil {
				return fmt.Errorf("start a container: %w", err)
			}
			return nil
		})
	}
	if err := started.Wait(); err != nil {
		return fmt.Errorf("make a fleet: %w", err)
	}
	return nil
}

func (f *realFleet) running(ctx context.Context, id string) bool {
	found, err := f.api.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	return err == nil && found.Container.State != nil && found.Container.State.Running
}

func (f *realFleet) create(ctx context.Context, number int) (string, error) {
	stop := 0
	made, err := f.api.ContainerCreate(ctx, client.ContainerCreateOptions{
		Name: fmt.Sprintf("hermes-%s-%05d", f.mark, number),
		Config: &container.Config{
			Image: f.options.image, Cmd: []string{"sleep", "infinity"}, StopTimeout: &stop,
			Labels: map[string]string{
				benchLabel: f.mark, "hermes-agent": "1", "hermes-profile": benchProfile,
				"hermes-task-id": fmt.Sprintf("task-%d", number), "hermes-egress": "off",
			},
		},
		HostConfig: &container.HostConfig{NetworkMode: "none", CapDrop: []string{"ALL"}},
	})
	if err != nil {
		return "", fmt.Errorf("create a container (the image comes from the engine tests): %w", err)
	}
	return made.ID, nil
}

// clean removes every container of this run.
func (f *realFleet) clean(ctx context.Context) error {
	list, err := f.api.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", benchLabel+"="+f.mark)})
	if err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	group := errgroup.Group{}
	group.SetLimit(8)
	for _, found := range list.Items {
		group.Go(func() error {
			_, err := f.api.ContainerRemove(ctx, found.ID, client.ContainerRemoveOptions{Force: true})
			return err //nolint:wrapcheck // joined below
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}

// docker runs the docker command on this engine and tells how long it took.
func (f *realFleet) docker(ctx context.Context, args ...string) (time.Duration, error) {
	return timed(ctx, "docker", append([]string{"--host", f.options.host}, args...)...)
}

func (f *realFleet) shows() string { return fmt.Sprintf("%d sandboxes", len(f.ids)) }

// first compares the first frame with what docker and curl need for the list,
// and with a list and inspects that nobody could do without.
func (f *realFleet) first(ctx context.Context, name string) error {
	if !f.options.wants("first") {
		return nil
	}
	rounds := f.options.rounds
	var ours, bare, ps, curl times
	for range rounds { // in turns, so that a busy machine is busy for all
		took, err := f.options.firstFrame(ctx, f.options.host, f.shows(), 1)
		if err != nil {
			return err
		}
		ours = append(ours, took...)
		began := time.Now()
		if err := f.listAndInspect(ctx); err != nil {
			return err
		}
		bare = append(bare, time.Since(began))
		shown, err := f.docker(ctx, "ps", "--all", "--filter", "label=hermes-agent=1")
		if err != nil {
			return err
		}
		ps = append(ps, shown)
		fetched, err := timed(ctx, "curl", "-s", "-o", "/dev/null", "--unix-socket", strings.TrimPrefix(f.options.host, "unix://"),
			"http://docker/containers/json?all=1&filters=%7B%22label%22%3A%5B%22hermes-agent%3D1%22%5D%7D")
		if err != nil {
			return err
		}
		curl = append(curl, fetched)
	}
	f.out.row(name, "process start to first frame with data", ours.both(), fmt.Sprintf(
		"list and 8 inspects at once %s (%s), `docker ps` %s (%s), `curl` of the list %s (%s)",
		bare.median(), ratio(ours.median(), bare.median()), ps.median(), ratio(ours.median(), ps.median()),
		curl.median(), ratio(ours.median(), curl.median())))
	return nil
}

// listAndInspect asks for the list and for every container, eight at a time.
func (f *realFleet) listAndInspect(ctx context.Context) error {
	list, err := f.api.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: make(client.Filters).Add("label", "hermes-agent=1")})
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	group := errgroup.Group{}
	group.SetLimit(8)
	for _, found := range list.Items {
		group.Go(func() error {
			_, err := f.api.ContainerInspect(ctx, found.ID, client.ContainerInspectOptions{})
			return err //nolint:wrapcheck // joined below
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("inspect: %w", err)
	}
	return nil
}

// removeByXargs removes containers as a person without our program would.
func (f *realFleet) removeByXargs(ctx context.Context, ids []string) (time.Duration, error) {
	command := exec.CommandContext(ctx, "xargs", "-P8", "-n1", "docker", "--host", f.options.host, "rm", "--force") //nolint:gosec // the host is the caller's choice
	command.Stdin = strings.NewReader(strings.Join(ids, "\n"))
	began := time.Now()
	if out, err := command.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("xargs: %w: %s", err, out[:min(len(out), 400)])
	}
	return time.Since(began), nil
}
