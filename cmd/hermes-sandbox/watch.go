package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"hermes-sandbox/model"
)

func (a *app) watchCommand(failed *error) *cobra.Command {
	var metrics string
	command := &cobra.Command{
		Use:   "watch",
		Short: "Print one JSON line per change",
		Long: "Print one JSON line per change until interrupted: first `appeared` for every\n" +
			"sandbox, then `synced`, then what changes. An engine that goes away or comes\n" +
			"back is a line too, an allowlist proxy that stops or starts, and each host that\n" +
			"a sandbox asked such a proxy for, once per verdict. With --metrics the figures\n" +
			"of the newest look are served for Prometheus meanwhile, on a loopback address,\n" +
			"at /metrics.",
		Example: "hermes-sandbox watch\nhermes-sandbox watch --profile work\nhermes-sandbox watch --metrics 127.0.0.1:9464 > /dev/null",
		Args:    cobra.NoArgs,
		RunE: guarded(failed, func(command *cobra.Command, _ []string) error {
			return a.runWatch(command.Context(), metrics)
		}),
	}
	command.Flags().StringVar(&metrics, "metrics", "", "serve figures for Prometheus on this loopback address, such as 127.0.0.1:9464")
	return command
}

func (a *app) runWatch(ctx context.Context, metrics string) error {
	if _, err := a.outputFormat("table", "jsonl", "json"); err != nil {
		return err
	}
	show := func(*model.Fleet) {}
	if metrics != "" {
		address, err := metricsAddress(metrics)
		if err != nil {
			return usageError(err)
		}
		served, err := a.serveMetrics(ctx, address)
		if err != nil {
			return err
		}
		defer served.stop()
		a.note("metrics on http://%s%s", served.listener.Addr(), metricsPath)
		show = served.take
	}
	return a.watch(ctx, show)
}

// watch prints what changes until ctx ends, and hands every fleet to show.
func (a *app) watch(ctx context.Context, show func(*model.Fleet)) error {
	w, err := a.open()
	if err != nil {
		return err
	}
	defer w.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	printer := watchPrinter{app: a, cancel: cancel, seen: make(map[seenRequest]bool)}
	followed := w.follow()
	followed.observeRequests(ctx, printer.request)
	followed.run(ctx, func(fleet model.Fleet, awaited []string) {
		fleet = named(fleet, a.flags.profiles)
		if printer.fine() {
			show(&fleet)
		}
		printer.show(fleet, awaited)
	})
	followed.endRequests()
	return printer.end()
}

// named narrows a fleet to the profiles of --profile. Names that nothing bears
// yet are no mistake here: their sandboxes may appear later.
func named(fleet model.Fleet, names []string) model.Fleet {
	scope := profileScope{names: names}
	for _, profile := range fleet.Profiles {
		if profile.Home != "" && slices.Contains(names, profile.Name.Raw()) {
			scope.homes = append(scope.homes, profile.Home)
		}
	}
	return scope.narrow(fleet)
}
