// Package simengine is a Docker Engine HTTP API inside this process, served on
// a private unix socket. It keeps containers, networks, images, volumes and
// execs in memory and changes them the way Docker Engine 20.10 does, so the
// real client can be used against it: for the demonstration mode, for tests
// and for pictures.
//
// What it knows beyond a fake: the engine's refusals with their status codes,
// the rules of StartedAt and FinishedAt, the look-up order of names and short
// IDs, the address allocation, the events with their attributes, and the
// bounded event history. Nothing runs: a process is a line of text, a stop is
// done at once, and a removed container leaves no file behind.
//
// Faults makes it misbehave: see [Faults].
package simengine
