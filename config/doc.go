// Package config reads two kinds of configuration.
//
// The program's own settings come from a file, the environment and flags
// ([LoadSettings]). Hermes' configuration is read from every home it can find
// ([LoadProfiles]): which profiles there are, which one a new Hermes command
// would use, and what each asks of its sandboxes, with the source of every
// value (contract 5).
//
// Nothing here writes, and nothing reads the process environment by itself:
// both come in as arguments.
package config
