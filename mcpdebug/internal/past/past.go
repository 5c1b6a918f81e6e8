package past

import (
	"log/slog"
	"sync/atomic"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/causes"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Host is what the tools need of the server.
type Host interface {
	Logger() *slog.Logger
	// Observe has an observer told of polls, ticks and calls, or no more. Frame
	// goroutine.
	Observe(o causes.Observer, on bool)
	// Record is how to record from the start; nil: not before a client asks.
	Record() *timeline.Options
	// Shown is the recording of the file that the server shows; nil: a game runs.
	Shown() *timeline.Recorder
	// App is the bound one; nil without. Any goroutine; its methods are the
	// frame's, but those that say so.
	App() *host.App
}

// Past is the recorder of one server and its tools.
type Past struct {
	host Host
	rec  *timeline.Recorder

	// Frame goroutine.
	frame    uint64
	parked   string // the operation that is suspended
	observed bool

	crashed atomic.Bool // since the last Poll
	shown   bool        // what is recorded came from a file, and nothing is added
	worlds  worlds
}

// New makes a recorder that waits for a world.
func New(h Host) *Past {
	if h == nil {
		return &Past{rec: timeline.NewRecorder(nil)}
	}
	if rec := h.Shown(); rec != nil {
		return &Past{host: h, rec: rec, shown: true}
	}
	return &Past{host: h, rec: timeline.NewRecorder(nil)}
}

// Recorder is the recorder: blame runs ticks again from its samples.
func (p *Past) Recorder() *timeline.Recorder { return p.rec }

// Tools are in listing order.
func (p *Past) Tools() []*tools.Tool {
	return tools.Family(tools.Spec{Group: "past"},
		p.startTool(), p.stopTool(), p.infoTool(), p.historyTool(), p.plotTool(), p.findTool(), p.rewindTool())
}

// Bind tells which world and app the server has now, and begins to record if
// the host wants that. Frame goroutine.
func (p *Past) Bind(w ecs.World, app *host.App, frame uint64) {
	p.frame, p.parked = frame, ""
	p.crashed.Store(false)
	if p.shown {
		return
	}
	p.rec.Bind(w, app)
	o := p.host.Record()
	if o == nil || w == nil || p.rec.Recording() {
		return
	}
	if err := p.start(*o, frame); err != nil {
		p.host.Logger().Warn("the world is not recorded", "err", err)
	}
}

func (p *Past) start(o timeline.Options, frame uint64) error {
	p.rec.LogTo(p.host.Logger())
	if err := p.rec.Start(o, frame); err != nil {
		return err
	}
	p.watch(true)
	return nil
}

func (p *Past) watch(on bool) {
	if p.observed != on {
		p.observed = on
		p.host.Observe(p, on)
	}
}
