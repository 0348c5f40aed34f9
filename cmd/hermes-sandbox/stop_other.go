//go:build !unix

package main

// jobControl does nothing here: no shell stops programs.
type jobControl struct{ stop func() error }

func newJobControl() *jobControl { return &jobControl{} }

func (*jobControl) listen(func()) (end func()) { return func() {} }
