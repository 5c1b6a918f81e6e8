package host

import "github.com/loupe-ecs/loupe/internal/callsite"

// StateChange is a push or a pop of a state.
type StateChange struct {
	Tick   uint64 `json:"tick" jsonschema:"when"`
	Op     string `json:"op" jsonschema:"push or pop"`
	State  string `json:"state" jsonschema:"what was entered or left"`
	By     string `json:"by" jsonschema:"game, or client"`
	Source string `json:"source,omitempty" jsonschema:"where in the game's code: file:line"`
}

// StateHistory is implemented by a States that knows who changed it.
type StateHistory interface {
	// History lists the last changes, oldest first. Frame goroutine.
	History() []StateChange
}

// StateLog keeps the last changes of a host's stack of states. The zero StateLog
// is ready; a host's own type embeds it and notes every push and pop:
//
//	func (s *states) Push(name string) error {
//		s.stack = append(s.stack, name)
//		s.Note(s.game.tick, "push", name)
//		return nil
//	}
type StateLog struct {
	changes []StateChange
	tell    func(StateChange)
}

// keepStates is how many changes are kept.
const keepStates = 64

// Note adds a change. Who made it is read from the stack: the first caller
// outside the file that calls Note. Frame goroutine.
func (l *StateLog) Note(tick uint64, op, state string) {
	if len(l.changes) == keepStates {
		l.changes = append(l.changes[:0], l.changes[1:]...)
	}
	c := StateChange{Tick: tick, Op: op, State: state, By: "game"}
	source, client := callsite.Find()
	if c.Source = source; client {
		c.By = "client"
	}
	l.changes = append(l.changes, c)
	if l.tell != nil {
		l.tell(c)
	}
}

// OnNote has f told of every change from now on, in place of whoever was told
// before; nil: nobody. Frame goroutine.
func (l *StateLog) OnNote(f func(StateChange)) { l.tell = f }

// History implements [StateHistory].
func (l *StateLog) History() []StateChange { return append([]StateChange{}, l.changes...) }
