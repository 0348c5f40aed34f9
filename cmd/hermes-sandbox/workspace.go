package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hermes-sandbox/config"
	"hermes-sandbox/config/sessions"
	"hermes-sandbox/config/state"
	"hermes-sandbox/dockerx"
	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// snapshotTimeout bounds one look at one engine by a command. It is longer
// than the single requests' deadlines together need in the good case, and short
// enough that a script does not hang on an engine that hangs.
const snapshotTimeout = 20 * time.Second

// workspace is what a command works with: the settings, the engines and where
// the homes are.
type workspace struct {
	app      *app
	settings config.Settings
	mask     model.Masker // hides secrets, by the settings too
	clients  []*dockerx.Client
	homes    config.HomesInput
	given    map[string]string // homes named for engines on other machines, by engine
	sessions *sessions.Reader
	stateDir string
	demo     *simengine.Engine // of --demo, else nil
	close    []func()
}

// open reads the settings and prepares the engines; nothing is sent yet.
// Problems are usage errors, since they come from flags, environment and files
// that a person wrote.
func (a *app) open() (*workspace, error) {
	settings, err := config.LoadSettings(config.SettingsInput{
		File: a.flags.config, Environ: a.environ, UserHome: config.UserHome(a.environ), Flags: a.settingFlags(),
	})
	if err != nil {
		return nil, &exitError{code: exitFailed, err: err}
	}
	mask, err := model.NewMasker(settings.Mask)
	if err != nil {
		return nil, &exitError{code: exitFailed, err: err}
	}
	w := &workspace{
		app: a, settings: settings, mask: mask, stateDir: config.StateDir(a.environ, config.UserHome(a.environ)),
		homes: config.HomesInput{
			Homes: a.flags.hermesHomes, Added: settings.HermesHomes, Environ: a.environ, UserHome: config.UserHome(a.environ),
		},
		sessions: sessions.NewReader(sessions.Options{Clock: a.now}),
	}
	if err := w.openLog(); err != nil {
		return nil, err
	}
	endpoints, err := w.endpoints()
	if err != nil {
		w.Close()
		return nil, usageError(err)
	}
	for _, endpoint := range endpoints {
		options := append([]dockerx.ConnectOption{dockerx.UserAgent("hermes-sandbox/" + version()), dockerx.Clock(a.now)}, a.connect...)
		if settings.ReadOnly {
			options = append(options, dockerx.ReadOnly())
		}
		client, err := dockerx.Connect(endpoint, options...)
		if err != nil {
			w.Close()
			return nil, usageError(err)
		}
		w.clients = append(w.clients, client)
		w.close = append(w.close, client.Close)
	}
	return w, nil
}

// settingFlags are the flags that are settings, as far as they were given.
func (a *app) settingFlags() map[string]any {
	flags := map[string]any{}
	if a.flags.readOnly {
		flags["read_only"] = true
	}
	if a.flags.ascii {
		flags["ascii"] = true
	}
	if a.flags.logFile != "" {
		flags["log_file"] = a.flags.logFile
	}
	return flags
}

// endpoints decides which engines to talk to: the demo's, those of the flags,
// those of the settings, else the one docker itself would use.
func (w *workspace) endpoints() ([]dockerx.Endpoint, error) {
	if w.app.flags.demo {
		return w.openDemo()
	}
	options := dockerx.Options{Environment: w.app.getenv, Home: config.UserHome(w.app.environ)}
	if len(w.app.flags.hosts)+len(w.app.flags.contexts) > 0 || len(w.settings.Engines) == 0 {
		options.Hosts, options.Contexts = w.app.flags.hosts, w.app.flags.contexts
		found, err := dockerx.Resolve(options)
		for _, endpoint := range found {
			for _, engine := range w.settings.Engines {
				if engine.Host == endpoint.Host || engine.Context != "" && engine.Context == endpoint.Name {
					w.give(endpoint, engine.HermesHome)
				}
			}
		}
		return found, err
	}
	var found []dockerx.Endpoint
	for _, engine := range w.settings.Engines {
		single := options
		if engine.Host != "" {
			single.Hosts = []string{engine.Host}
		} else {
			single.Contexts = []string{engine.Context}
		}
		endpoints, err := dockerx.Resolve(single)
		if err != nil {
			return nil, err
		}
		for _, endpoint := range endpoints {
			endpoint.Chosen = "settings"
			if engine.Name != "" {
				endpoint.Name = engine.Name
			}
			w.give(endpoint, engine.HermesHome)
			found = append(found, endpoint)
		}
	}
	return found, nil
}

// Close lets go of everything the workspace holds.
func (w *workspace) Close() {
	for _, release := range slices.Backward(w.close) {
		release()
	}
	w.close = nil
}

// fleet looks once at every engine, side by side, and at the homes.
func (w *workspace) fleet(ctx context.Context) model.Fleet { return w.look(ctx, nil) }

// usedFleet looks like fleet, and at what the engines remember of commands.
func (w *workspace) usedFleet(ctx context.Context) model.Fleet {
	return w.look(ctx, dockerx.NewActivityBook())
}

func (w *workspace) look(ctx context.Context, book *dockerx.ActivityBook) model.Fleet {
	snapshots := make([]model.Snapshot, len(w.clients))
	var wait rescue.Group
	for i, client := range w.clients {
		wait.Go(func() {
			limited, cancel := context.WithTimeout(ctx, snapshotTimeout)
			defer cancel()
			snapshots[i] = client.Snapshot(limited)
			if book != nil {
				w.pastUse(limited, client, &snapshots[i], book)
			}
		})
	}
	profiles, problems := w.profiles()
	wait.Wait()
	var memory model.Memory
	return assess(&memory, w.input(ctx, &memory, snapshots, profiles, book), problems)
}

// assess turns what was read into what is known. The problems are those of the
// homes. A memory belongs to one goroutine.
func assess(memory *model.Memory, in model.Input, problems []model.Problem) model.Fleet {
	fleet := memory.Assess(in)
	fleet.Problems = append(fleet.Problems, problems...)
	return fleet
}

// audit returns the journal of the actions taken.
func (w *workspace) audit() (*state.Audit, error) {
	folder, err := state.Open(w.stateDir)
	if err != nil {
		return nil, fmt.Errorf("read the audit: %w", err)
	}
	return folder.Audit(), nil
}

// unreachable returns an error with code 1 when an engine could not be asked;
// the data of the others has been printed by then.
func unreachable(fleet *model.Fleet) error {
	var failed []error
	for _, engine := range fleet.Engines {
		if engine.State != model.Live {
			failed = append(failed, fmt.Errorf("engine %s is %s: %s", model.NewText(engine.Name), engine.State, engine.Error))
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return &exitError{code: exitFailed, err: errors.Join(failed...)}
}
