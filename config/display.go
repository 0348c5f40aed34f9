package config

import (
	"hermes-sandbox/config/safefile"
	"hermes-sandbox/model"
)

// quote puts a text from outside into quotation marks, safe to show.
func quote(text string) string { return `"` + model.NewText(text).Display() + `"` }

// displayError makes an error's text safe to show: paths in it come from
// outside.
func displayError(err error) error { return safefile.Display(err) }
