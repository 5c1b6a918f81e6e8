package tools

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Request is a tool call as it came: what Options.OnCall sees.
type Request struct {
	Name      string
	Arguments json.RawMessage // an object, or empty
	Client    string          // who calls, for logs: client name and session, "dispatch" for Dispatch
	Operation string          // the client's own name for the call; "" without
}

// Call is the context of one call off the frame goroutine. It is valid until
// the call is answered.
type Call struct {
	Context  context.Context // done when the client is gone or the call timed out
	Request  Request
	Catalog  *ecs.Catalog // nil: no world is bound
	FrameNo  uint64       // the last frame that polled; the answer of an off-frame tool names it
	Registry *Registry
	Log      *slog.Logger // never nil
	// OnFrame: all parts run on the frame goroutine, so that nothing the frame
	// would have to do can be waited for.
	OnFrame bool
	// Session asks the client back; nil unless the tool is Interactive and the
	// client can.
	Session Session
	// Run carries out another call of the same client, through all that a call
	// goes through, and waits for its answer. nil but for an OffFrame tool that
	// is called by itself.
	Run func(tool string, arguments json.RawMessage) *Reply
	// Lasting: the client waits for as long as it takes, and can end the call:
	// Stopped reports that it wants to. A tool that drives the game's time ends
	// then where it is; others may ignore it and are given up a moment later.
	Lasting  bool
	Stopping func() bool
	// OnProgress is set by the server when the client asked for progress.
	OnProgress func(done, total float64, message string)
	// OnLog is set by the server when the client takes log notifications.
	OnLog func(level slog.Level, logger string, data any)
}

// Progress tells the client how far the call is; it never blocks. total 0 is
// unknown. Any goroutine may call it.
func (c *Call) Progress(done, total float64, message string) {
	if c != nil && c.OnProgress != nil {
		c.OnProgress(done, total, message)
	}
}

// Stopped reports whether the client has asked a lasting call to end.
func (c *Call) Stopped() bool { return c != nil && c.Stopping != nil && c.Stopping() }

// Notify sends a log message to the client if it takes them; it never blocks.
func (c *Call) Notify(level slog.Level, logger string, data any) {
	if c != nil && c.OnLog != nil {
		c.OnLog(level, logger, data)
	}
}

// Session lets an Interactive tool ask its client. The methods block and must
// not be called on the frame goroutine.
type Session interface {
	// Sample asks the client's model; Elicit asks the person. params and the
	// result are the protocol's own JSON.
	Sample(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
	Elicit(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
}

// Frame is what a handler gets on the frame goroutine. It is valid during the
// handler's run only.
type Frame struct {
	Number  uint64
	World   ecs.World // nil unless one is bound
	App     *host.App // nil unless one is bound
	Catalog *ecs.Catalog
	Call    *Call
	// Tick is that of a recorded world; nil: World is the live one.
	Tick *uint64
	// Once: the frame part runs within Dispatch or another tool and cannot be
	// run again, so [ErrLater] would be refused.
	Once bool
	// CallTool runs another frame-only tool inline, through its gates; phased,
	// off-frame and interactive tools are refused. The answer is the structured
	// content.
	CallTool func(name string, args json.RawMessage) (json.RawMessage, error)
	// StartTool is CallTool for tools that may need later frames.
	StartTool func(name string, args json.RawMessage) Running
	// Hush keeps the calls within this one from those who observe calls (the
	// recorder, the watches) until it is turned off: they hear of this one only.
	Hush func(on bool)
}

// Running is a tool that was started from within another: called once a frame,
// it answers, or asks to be called again at the next.
type Running func(*Frame) (answer json.RawMessage, again bool, err error)

// ErrLater is returned by a frame part that cannot answer yet: it is run again at
// the next Poll, and other calls are answered meanwhile.
var ErrLater = errors.New("not yet: run again at the next poll")

type frameKey struct{}

// FrameOf returns the frame a [Domain] function runs in; nil off the frame.
func FrameOf(ctx context.Context) *Frame {
	f, _ := ctx.Value(frameKey{}).(*Frame)
	return f
}

// Reply is the answer of one call, ready for the wire.
type Reply struct {
	IsError    bool
	Structured json.RawMessage // whole object, "frame" included; nil for a bare answer
	Text       string          // the text content; "" with Structured: the same JSON
	Content    []Content       // after the text
	Meta       map[string]any
	// Err is why the call was refused; nil for a success, and where the tool
	// itself marked its answer as failed.
	Err *refusal.Error
	// RPC is set when the call fails as a JSON-RPC error (unknown tool).
	RPC *RPCError
}

// RPCError is a JSON-RPC error.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *RPCError) Error() string { return e.Message }

// Content is one content block of an answer.
type Content struct {
	Type     string // "text", "image", "audio", "resource", "resource_link"
	Text     string
	Data     []byte // image, audio, blob resource; encoded as base64 on the wire
	MIMEType string
	URI      string // resource, resource_link
	Name     string // resource_link
}
