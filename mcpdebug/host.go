//go:build !nomcpdebug

package mcpdebug

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/internal/buildinfo"
	"github.com/loupe-ecs/loupe/internal/listing"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/builtin"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/causes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/front"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/keep"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/sandbox"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// services is the server as the built-in tools see it.
type services struct{ s *Server }

var _ builtin.Host = services{}

func (h services) Registry() *tools.Registry           { return h.s.registry }
func (h services) Components() *builtin.ComponentTools { return h.s.builtIns.components }
func (h services) ReadOnly() bool                      { return h.s.opts.ReadOnly }
func (h services) SandboxOptions() sandbox.Options     { return h.s.opts.Sandbox }
func (h services) Record() *timeline.Options {
	o := h.s.opts.Record
	if o == nil {
		return nil
	}
	return &timeline.Options{Every: o.Every, Memory: int64(o.MemoryMB) << 20, Pin: o.Pin}
}
func (h services) Shown() *timeline.Recorder {
	if h.s.shown == nil {
		return nil
	}
	return h.s.shown.Recorder
}
func (h services) Keeping() keep.Options   { return h.s.opts.keeping() }
func (h services) OnResetSandbox(f func()) { h.s.builtIns.resets.add(f) }
func (h services) Build() builtin.Build {
	if h.s.shown != nil {
		return shownBuild(h.s)
	}
	return buildinfo.Process()
}

func (h services) Offers(tool string) bool {
	p, ok := listing.Of(h.s.registry).Lookup(tool)
	return ok && h.s.opts.offers(&p.Spec)
}

// What the frame has published.

func (h services) Catalog() *ecs.Catalog        { return h.s.loop.Catalog() }
func (h services) App() *host.App               { return h.s.loop.View().App }
func (h services) Held() *host.Held             { return h.s.loop.View().Held }
func (h services) SampleEntities() []ecs.Entity { return h.s.loop.View().Samples }

func (h services) Fresh(c *tools.Call) *loop.View {
	v := h.s.loop.View()
	if !c.OnFrame {
		v = h.s.loop.Current(c.Context)
	}
	c.FrameNo = v.Frame
	return v
}

// The loop.

func (h services) Status() builtin.Status                    { return h.s.loop.Status() }
func (h services) Tick() uint64                              { return h.s.loop.View().Tick }
func (h services) Stall() *loop.StallReport                  { return h.s.loop.Stall() }
func (h services) FrameTimes() builtin.FrameTimes            { return h.s.loop.Speed.FrameTimes() }
func (h services) FrameGoroutine() uint64                    { return h.s.loop.FrameGoroutine() }
func (h services) Observe(o causes.Observer, on bool)        { h.s.loop.Observers.Observe(o, on) }
func (h services) Logger() *slog.Logger                      { return h.s.log }
func (h services) Updated(path string)                       { h.s.updates.Touch(path) }
func (h services) Logs(q logbuf.Query) (logbuf.Page, string) { return h.s.readLogs(q, true) }

func (h services) Operation(id string) (loop.OperationState, string, *tools.Reply) {
	return h.s.loop.Operation(id)
}

// Crashes.

func (h services) PreviousCrash() *builtin.PreviousCrash { return h.s.crashFile.Unread() }
func (h services) InspectCrash(on bool) error            { return h.s.crashes.Inspect(on) }

func (h services) Crash() *builtin.Crash {
	r := h.s.crashes.Report()
	if r == nil {
		return nil
	}
	if h.s.shown != nil { // nothing has gone on since
		r.Cleared = false
	} else if v := h.s.loop.View(); v.Catalog != nil && v.Frame > r.Frame {
		r.Locked = v.Catalog.Locked
	}
	return r
}

func (h services) ClearCrash(w ecs.World, unlock bool) (crashes.Cleared, error) {
	r, err := h.s.crashes.Clear(w, unlock)
	if err == nil {
		r.Acknowledged = h.s.crashFile.Acknowledge()
		h.s.loop.Refresh()
	}
	return r, err
}

func (h services) Limits() builtin.Limits {
	o := &h.s.opts
	return builtin.Limits{QueueLen: o.QueueLen, CallTimeout: o.CallTimeout, StallAfter: o.StallAfter, MaxReplyBytes: loop.MaxReplyBytes,
		ProtocolVersions: front.ProtocolVersions(), Address: h.s.URL(), DataDir: o.dataDir(), CrashFile: o.CrashFile}
}

// dataDir is the absolute path of the writable root.
func (o *Options) dataDir() string {
	dir := o.DataDir
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			base = os.TempDir()
		}
		dir = filepath.Join(base, "loupe", programName())
	}
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

func programName() string {
	if exe, err := os.Executable(); err == nil {
		return strings.TrimSuffix(filepath.Base(exe), ".exe")
	}
	return "game"
}
