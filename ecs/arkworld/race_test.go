//go:build race

package arkworld

// relationCapacity keeps tables with relations from being exactly full, which
// Ark does not survive with the race detector's pointer checks.
const relationCapacity = 600
