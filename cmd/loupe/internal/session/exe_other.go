//go:build !windows

package session

const exeSuffix = ""
