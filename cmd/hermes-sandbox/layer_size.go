package main

import (
	"context"
	"slices"
	"time"

	"github.com/docker/go-units"

	"hermes-sandbox/model"
	"hermes-sandbox/rescue"
)

// measureTimeout bounds asking for sizes; a plan opens without them after it.
const measureTimeout = 4 * time.Second

// measure says in a plan how much a rebuild copies. The engine walks the disk
// for that, so it is asked only here, once per sandbox, with a deadline.
func (w *workspace) measure(ctx context.Context, plan model.Plan) model.Plan {
	ctx, cancel := context.WithTimeout(ctx, measureTimeout)
	defer cancel()
	plan.Targets = slices.Clone(plan.Targets)
	var wait rescue.Group
	for i := range plan.Targets {
		target := &plan.Targets[i]
		if target.Method != model.MethodRebuild || target.Decision != model.DecisionAct {
			continue
		}
		client, err := w.client(target.Engine)
		if err != nil {
			continue
		}
		wait.Go(func() {
			size := "of unknown size"
			if bytes, err := client.LayerSize(ctx, target.ID); err == nil {
				size = "of " + units.HumanSize(float64(bytes))
			}
			target.Warnings = append(slices.Clone(target.Warnings), "its writable layer, "+size+", is copied")
		})
	}
	wait.Wait()
	return plan
}
