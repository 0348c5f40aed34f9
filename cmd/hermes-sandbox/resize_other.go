//go:build !unix

package main

// onResize does nothing: here no signal tells of a new size.
func onResize(func()) (stop func()) { return func() {} }
