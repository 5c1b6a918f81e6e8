package game

import (
	"slices"
	"strconv"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

// The states of the game.
const (
	Menu     = "menu"     // the title; nothing moves
	Playing  = "playing"  // ticks advance
	Paused   = "paused"   // laid over playing; nothing moves
	GameOver = "gameover" // all lives are lost; nothing moves
)

var stateNames = []string{Menu, Playing, Paused, GameOver}

// States is the stack of states; the top one decides whether ticks advance.
type States struct {
	host.StateLog
	stack []string
	tick  func() uint64
	aside bool // changes are those of a replay, and undone
}

// enter and leave are the only ones that change the stack in play.
func (s *States) enter(name string) {
	s.stack = append(s.stack, name)
	s.note("push", name)
}

func (s *States) leave() {
	name := s.Top()
	s.stack = s.stack[:len(s.stack)-1]
	s.note("pop", name)
}

func (s *States) note(op, name string) {
	if s.tick != nil && !s.aside {
		s.Note(s.tick(), op, name)
	}
}

// maxStates bounds the stack: pushing without end is a mistake.
const maxStates = 32

// Stack lists the states, bottom first.
func (s *States) Stack() []string { return slices.Clone(s.stack) }

// Names lists the states that there are.
func (s *States) Names() []string { return slices.Clone(stateNames) }

// Top is the state that counts.
func (s *States) Top() string { return s.stack[len(s.stack)-1] }

// Push enters a state.
func (s *States) Push(name string) error {
	if !slices.Contains(stateNames, name) {
		return &refusal.Error{Code: refusal.NotFound, Message: "no state named " + strconv.Quote(name), Got: name,
			Options: refusal.Nearest(name, stateNames), Total: len(stateNames), Hint: "push one of these states"}
	}
	if len(s.stack) >= maxStates {
		return &refusal.Error{Code: refusal.TooLarge, Message: "the stack of states is " + strconv.Itoa(maxStates) + " deep",
			Hint: "states_pop leaves the top state"}
	}
	s.enter(name)
	return nil
}

// Pop leaves the top state; the last one stays.
func (s *States) Pop() error {
	if len(s.stack) == 1 {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: "the last state (" + s.stack[0] + ") cannot be left",
			Hint: "states_push another state over it"}
	}
	s.leave()
	return nil
}

// pause lays paused over the present state or takes it away.
func (s *States) pause(on bool) {
	if on && s.Top() != Paused {
		s.enter(Paused)
	}
	for !on && s.Top() == Paused && len(s.stack) > 1 {
		s.leave()
	}
}
