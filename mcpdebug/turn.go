package mcpdebug

import (
	"time"

	"github.com/loupe-ecs/loupe/tools/host"
)

// Turn is a game's whole update where an engine owns the loop and calls it at
// its own pace: Poll, and under Guard the ticks that the clock makes of the time
// that has passed since the last Turn, each followed by EndTick. While a client
// waits for ticks, Turn polls and ticks again for as long as the clock's Slack
// lasts: every Poll is a frame, however many of them an engine's own frame holds.
//
//	func (g *Game) Update() error { return g.dbg.Turn(g.clock, time.Second/60, g.tick) }
//
// What a tick returns ends the turn and is returned; a panic is recorded as by
// Guard, and gives nil. The clock is the one that was bound as App.Clock. A host
// suspended in an operation calls PollParked instead. A nil server runs the ticks
// alone. Frame goroutine.
func (s *Server) Turn(clock *host.StepClock, passed time.Duration, tick func() error) error {
	var until time.Time
	for {
		s.Poll()
		err := s.GuardErr(func() error {
			if until.IsZero() && clock.Info().Pending > 0 { // Number is the host's
				until = time.Now().Add(clock.Spare())
			}
			return clock.Run(passed, func() error {
				err := tick()
				s.EndTick()
				return err
			})
		})
		if err != nil || !clock.Hurry() || time.Now().After(until) {
			return err
		}
		passed = 0 // it has been accounted for
	}
}
