// Package model holds what the program knows and what follows from it.
//
// The facts come in as a [Snapshot] of one engine and the [Profile] values of
// Hermes' homes; [Assess] turns them into a [Fleet]: every sandbox with its
// scope, generation, network posture, findings and the verdicts of Hermes'
// reuse guard and orphan reaper. Actions start here too, as a [Plan] that says
// what would happen to every target before anything is called.
//
// The package does no I/O and never reads a clock: times are arguments. It
// imports the standard library only.
//
// Text that comes from outside (engine, configuration, session database) is a
// [Text]; see there for what may be done with it.
package model
