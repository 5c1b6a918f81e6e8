// Package keep writes what the server knows into files that outlive the game
// (package blackbox), asked for by record_save, and by itself where the game may
// be about to end: when Guard records a panic, on a stall, and at intervals. It
// works on a goroutine of its own.
package keep
