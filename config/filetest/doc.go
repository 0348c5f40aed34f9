// Package filetest makes files for tests that not every system has.
package filetest
