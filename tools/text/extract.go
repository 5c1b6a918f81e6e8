package text

import (
	"encoding/json"
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/text/internal/find"
)

// Form is how a call was written.
type Form = find.Form

// The forms.
const (
	XML      = find.XML      // <Health_configure entity="42v3" HP="7"/>
	JSON     = find.JSON     // {"tool":...,"arguments":{...}}
	ToolCall = find.ToolCall // JSON in <tool_call>, after [TOOL_CALLS], Action: and the like
	Invoke   = find.Invoke   // <invoke name="..."><parameter name="...">
	Function = find.Function // functions.Health_configure(entity="42v3", HP=7)
)

// Status is what a call that was found is worth.
type Status = find.Status

// The statuses. Only the first kind is a call that was made.
const (
	Call       = find.Call
	Quoted     = find.Quoted     // shown: in a fence marked as an example, a quotation, as code in a sentence
	Thought    = find.Thought    // considered: within <think> and its kin
	Incomplete = find.Incomplete // the text ends within it
)

// Found is a call in a text.
type Found struct {
	// Tool is its name as the listing has it; as it was written, if there is no
	// such tool.
	Tool      string
	Arguments json.RawMessage // an object
	Form      Form
	Status    Status
	Why       string // why it is no call that was made
	// Start and End are the bytes that it takes in the text: it was complete
	// when the byte before End had come.
	Start, End int64
	Repaired   []string // what was put right to read it
	// Err is the refusal of the check that every call goes through; nil for a
	// call that may run.
	Err error
}

// MaxText bounds a text in which calls are looked for, in bytes.
const MaxText = 64 << 20

// Extract finds every call in a text, in order. The error is that of a text
// over MaxText.
func (l *Listing) Extract(text string) ([]Found, error) {
	if len(text) > MaxText {
		return nil, &refusal.Error{Code: refusal.TooLarge, Message: "the text is too long to look for calls in", Got: len(text), Want: fmt.Sprintf("at most %d bytes", MaxText),
			Hint: "a Scanner reads a text in pieces"}
	}
	return l.validated(l.index().Scan(text)), nil
}

// Scanner finds calls in a text that comes in pieces, as a model writes it. It
// belongs to one goroutine.
type Scanner struct {
	l *Listing
	s *find.Scanner
}

// NewScanner begins a text. thinking says that it begins within a thought, as
// some templates have it: the tag that ends the thought comes without the one
// that begins it. Extract sees that by itself; a Scanner has to be told.
func (l *Listing) NewScanner(thinking bool) *Scanner {
	return &Scanner{l, l.index().NewScanner(thinking)}
}

// Feed reads on and returns the calls that have become complete.
func (s *Scanner) Feed(chunk string) []Found { return s.l.validated(s.s.Feed(chunk)) }

// Close ends the text and returns the calls of which only the end of the text
// tells that they are complete.
func (s *Scanner) Close() []Found { return s.l.validated(s.s.Close()) }

func (l *Listing) validated(found []find.Found) []Found {
	out := make([]Found, 0, len(found))
	for _, f := range found {
		g := Found{Tool: f.Tool, Arguments: f.Arguments, Form: f.Form, Status: f.Status, Why: f.Why, Start: f.Start, End: f.End, Repaired: f.Repaired}
		switch {
		case !f.Known:
			g.Err = l.unknown(f.Tool)
		case l.check != nil:
			g.Err = l.check(f.Tool, f.Arguments)
		}
		out = append(out, g)
	}
	return out
}

func (l *Listing) unknown(name string) error {
	names := make([]string, len(l.tools))
	for i := range l.tools {
		names[i] = l.tools[i].Name
	}
	return &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("no tool named %q", name), Got: name, Options: refusal.Nearest(name, names), Total: len(names), Next: "help"}
}
