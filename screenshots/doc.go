// Package screenshots turns what the dashboard draws into pictures: a screen's
// escape sequences go through a virtual terminal, and its cells become an SVG,
// an animated SVG or an asciinema recording. The same screens give the same
// bytes on every machine. The program that drives the dashboard for it is a
// test of the command, which has its parts at hand; see README.md here.
package screenshots
