package game

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	loupe "github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Replay implements [host.Replayer]: ticks that nobody plays. All that a tick
// depends on is in the world and in the stack of states; the buffers live within
// a tick, and sound stays silent.
func (c *Clock) Replay() (host.Replay, error) {
	g := c.g
	if !slices.Contains(g.States.stack, Playing) || g.States.Top() == GameOver {
		return nil, &loupe.Error{Code: loupe.NotRunning, Message: "no tick runs in the state " + g.States.Top(), Got: g.States.Top(), Want: Playing,
			Hint: "states_push enters playing", Next: "states_info"}
	}
	if !g.level.Ready {
		return nil, &loupe.Error{Code: loupe.NotRunning, Message: "a level is being loaded"}
	}
	r := &replay{g: g, counts: g.counts, stepTime: g.stepTime, contacts: g.contacts}
	g.replaying, g.States.aside = true, true
	return r, nil
}

// replay keeps what a tick leaves behind outside the world.
type replay struct {
	g        *Game
	counts   counts
	stepTime time.Duration
	contacts int
}

// Tick runs the systems of one tick. A state laid over the game, such as paused,
// does not hold it; the end of the game does.
func (r *replay) Tick() error {
	if top := r.g.States.Top(); top != Playing && top != Paused {
		return fmt.Errorf("the game is in the state %s: no tick runs", top)
	}
	r.g.Schedule.Run(tickPhases...)
	return nil
}

// End looks the player up again, who is where the present has it.
func (r *replay) End() {
	r.g.counts, r.g.stepTime, r.g.contacts = r.counts, r.stepTime, r.contacts
	r.g.findPlayer()
	r.g.replaying, r.g.States.aside = false, false
}

// statesState saves the stack of states with the world: a tick can end the game.
type statesState struct{ s *States }

func (statesState) Name() string { return "states" }
func (statesState) Version() int { return 1 }

func (x statesState) Save() ([]byte, error) { return json.Marshal(x.s.stack) }

func (x statesState) Load(version int, data []byte) (func(), error) {
	var stack []string
	if version != 1 {
		return nil, fmt.Errorf("version %d is not known", version)
	}
	if err := json.Unmarshal(data, &stack); err != nil {
		return nil, err
	}
	if len(stack) == 0 || len(stack) > maxStates {
		return nil, fmt.Errorf("a stack of %d states", len(stack))
	}
	for _, name := range stack {
		if !slices.Contains(stateNames, name) {
			return nil, fmt.Errorf("there is no state %q", name)
		}
	}
	return func() { x.s.stack = stack }, nil
}
