// Package assets holds the files that are built into the game.
package assets

import "embed"

// Sounds are the game's sounds: 16-bit WAV files that cmd/sounds has written.
//
//go:generate go run ../internal/cmd/sounds -o .
//go:embed *.wav
var Sounds embed.FS
