package tools

import (
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Spec is what a tool says of itself besides its types.
type Spec struct {
	// Name: [A-Za-z0-9_-], at most 48 characters.
	Name string
	// Description says when to call the tool, what it changes and what to call
	// next, in one or two sentences.
	Description string
	// Group is the family the tool is listed under. Default "custom".
	Group string
	// Effect says what a call changes. Default Destructive.
	Effect Effect
	// WritesFiles: a tool that is ReadOnly for the game may write files in the
	// data directory. It is not announced as read-only.
	WritesFiles bool
	// Idempotent: calling twice with the same arguments is calling once.
	Idempotent bool
	// WhenParked: may run while a lifecycle operation is suspended midway.
	WhenParked bool
	// WhenCrashed: may run after a crash.
	WhenCrashed bool
	// OffFrame: never touches the world; answered without waiting for a Poll, in
	// every state, as if WhenParked and WhenCrashed were set.
	OffFrame bool
	// OffFrameWith names an argument with which a call never touches the world:
	// such a call runs as if OffFrame were set. Default "": none.
	OffFrameWith string
	// OffFrameIf tells the same of a call by what its arguments are. Any
	// goroutine. Default nil.
	OffFrameIf func(arguments json.RawMessage) bool
	// NeedsWorld and NeedsApp: without one the call is refused (no_world, no_app).
	NeedsWorld, NeedsApp bool
	// Lasts, if set, says of a call's arguments whether it may take longer than a
	// client cares to wait: one that knows tasks gets a task. Any goroutine.
	// Default: no call does.
	Lasts func(arguments json.RawMessage) bool
	// Interactive: may ask the client back (sampling, elicitation).
	Interactive bool
	// Unlisted: callable and known to help, but left out of tools/list.
	Unlisted bool
	// Example is the JSON of an arguments object that works. Shown by help.
	Example string
	// Manual is what help shows besides the description, as long as it needs to
	// be: Markdown.
	Manual string
	// Meta is merged into the tool's _meta, which full listings show.
	Meta map[string]any
	// Page is the URI of a resource (ui://...) that shows the tool's answers in
	// clients that show pages (MCP Apps); others never hear of it. Default "":
	// none.
	Page string
}

// Tool is a named, described function that clients can call. The registry
// keeps the pointer: listing shows what the tool was when it was registered,
// dispatch uses what the pointer holds when the call runs. Change a registered
// tool only on the frame goroutine, between Polls; an OffFrame tool not at all
// (register a new one of the same name instead).
type Tool struct {
	Spec
	InputSchema  *Schema // nil: any object
	OutputSchema *Schema // nil: any object
	Handler      Handler
	// Fields are the described Go values that InputSchema was made of, which
	// know more than a schema says (tools/text speaks of them); nil for a schema
	// that was written by hand.
	Fields []*value.Field
}

// Handler prepares a call. Prepare runs off the frame goroutine (inline on it
// for Dispatch): it checks and decodes the arguments.
type Handler interface {
	Prepare(c *Call, args json.RawMessage) (Job, error)
}

// Job is a prepared call. Frame runs on the frame goroutine and may be nil for
// an OffFrame tool; returning [ErrLater] asks to be run again at the next Poll.
// Finish runs off the frame and encodes the answer.
type Job struct {
	Frame  func(*Frame) error
	Finish func(*Call) (*Result, error)
	// Instead, if set, is what Frame runs on instead of the game: a world that is
	// not live. Then all of it runs off the frame goroutine, in every state.
	Instead *Frame
}

// HandlerFunc is the plainest handler: untyped arguments (already checked
// against InputSchema, if there is one) and any JSON-able result. It runs on
// the frame goroutine, or off it for an OffFrame tool; the result is encoded off
// the frame, so it must not alias memory that the game goes on changing.
type HandlerFunc func(f *Frame, args json.RawMessage) (any, error)

// Prepare implements [Handler].
func (h HandlerFunc) Prepare(c *Call, args json.RawMessage) (Job, error) {
	if h == nil {
		return Job{}, fmt.Errorf("tool %s has no handler", c.Request.Name)
	}
	var out any
	run := func(f *Frame) (err error) {
		out, err = h(f, args)
		return err
	}
	return Job{Frame: run, Finish: func(*Call) (*Result, error) { return EncodeResult(out) }}, nil
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,48}$`)

// check says why t cannot be registered.
func (t *Tool) check() error {
	bad := func(format string, args ...any) error {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("tool %q: ", t.Name) + fmt.Sprintf(format, args...)}
	}
	switch {
	case t.Name == "":
		return bad("a tool needs a name")
	case !nameForm.MatchString(t.Name):
		return bad("a name has 1 to 48 of the characters A-Z a-z 0-9 _ - (clients refuse others)")
	case t.Handler == nil:
		return bad("a tool needs a handler")
	case t.Description == "":
		return bad("a tool needs a description: when to call it, what changes, what to call next")
	case t.Effect > ReadOnly:
		return bad("its effect is none of Destructive, Additive and ReadOnly")
	case t.OffFrame && t.NeedsWorld:
		return bad("OffFrame tools never touch the world: NeedsWorld contradicts it (read the Catalog instead)")
	case t.Example != "" && !json.Valid([]byte(t.Example)):
		return bad("Example is not valid JSON")
	}
	if f, ok := t.Handler.(HandlerFunc); ok && f == nil {
		return bad("a tool needs a handler")
	}
	return nil
}
