//go:build !linux

package dockerx

import (
	"time"

	"hermes-sandbox/model"
)

// kernelRelease is empty: no engine's containers run on this kernel.
func kernelRelease() string { return "" }

// readKernel is never asked where [kernelRelease] is empty.
func readKernel(string, int, model.ID, time.Time) *model.KernelView { return nil }

// readConnections is never asked where [kernelRelease] is empty.
func readConnections(string, int, model.ID, time.Time) model.ConnectionView {
	return model.ConnectionView{}
}

// countConnections is never asked either.
func countConnections(string, int, model.ID) *int { return nil }
