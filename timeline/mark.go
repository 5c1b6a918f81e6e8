package timeline

import "github.com/loupe-ecs/loupe/ecs/refusal"

// Mark is something that happened at a tick.
type Mark struct {
	Tick uint64 `json:"tick" jsonschema:"when"`
	Kind string `json:"kind" jsonschema:"write, call, event, state, log, watch, crash, stall, parked, rewind or record"`
	Text string `json:"text" jsonschema:"what happened"`
	// Operation is the id that the client gave its call.
	Operation string `json:"operation,omitempty" jsonschema:"the client's id of the call"`
	Count     int    `json:"count,omitempty" jsonschema:"how often it happened at this tick, where more than once"`
}

// The kinds of marks.
const (
	MarkWrite  = "write"  // a client's call that changed the world
	MarkCall   = "call"   // a client's call that changed how the game goes on: clock, systems, states
	MarkEvent  = "event"  // an event that a client sent
	MarkLog    = "log"    // a line of level warn or error
	MarkWatch  = "watch"  // a watched value changed
	MarkCrash  = "crash"  // a panic
	MarkStall  = "stall"  // the frame did not poll for long
	MarkParked = "parked" // a lifecycle operation was suspended midway: begin and end
	MarkRewind = "rewind" // the live world was made a past one, or the present again
	MarkState  = "state"  // the game itself pushed or popped a state, or switched a system
	MarkRecord = "record" // recording itself: begun, ended, slowed down
)

// maxMarks is how many are kept, maxMarkText how long one may be.
const (
	maxMarks    = 1000
	maxMarkText = 200
)

// marks are the last ones.
type marks struct {
	list []Mark
	lost int
}

// Mark notes something on the time line. The same at the same tick is counted.
// Any goroutine.
func (r *Recorder) Mark(m Mark) {
	m.Text = refusal.Cut(m.Text, maxMarkText)
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &r.marks
	for i := len(l.list) - 1; i >= max(0, len(l.list)-8); i-- {
		if x := &l.list[i]; x.Tick == m.Tick && x.Kind == m.Kind && x.Text == m.Text && x.Operation == m.Operation {
			x.Count = max(x.Count, 1) + 1
			return
		}
	}
	if len(l.list) == maxMarks {
		l.list = append(l.list[:0], l.list[maxMarks/4:]...)
		l.lost += maxMarks / 4
	}
	l.list = append(l.list, m)
}

// Tick is the live world's tick as the recorder saw it last. Any goroutine.
func (r *Recorder) Tick() uint64 { return r.now.Load() }
