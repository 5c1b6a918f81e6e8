//go:build !unix && !windows

package discovery

func processAlive(int) bool { return true }
