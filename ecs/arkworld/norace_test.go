//go:build !race

package arkworld

const relationCapacity = 4
