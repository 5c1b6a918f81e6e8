package tools

import "time"

// How long a frame part that runs ticks aside may hold one frame: little while
// the game is played, more while it stands still.
const (
	playedSlice = 12 * time.Millisecond
	heldSlice   = 80 * time.Millisecond
)

// Slice is how much of a long piece of work a frame part does before it returns
// [ErrLater]; 0, without end, where there is no later frame. Frame goroutine.
func (f *Frame) Slice() time.Duration {
	switch {
	case f.Once:
		return 0
	case f.App != nil && f.App.Clock != nil && f.App.Clock.Info().Paused:
		return heldSlice
	}
	return playedSlice
}
