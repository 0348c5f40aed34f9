//go:build !unix

package dockerx

// socketAccessStep says how to get access to a socket.
func socketAccessStep(string) string { return "run as a user that may open it" }
