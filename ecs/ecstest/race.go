//go:build race

package ecstest

// raceEnabled shortens what the race detector makes slow.
const raceEnabled = true
