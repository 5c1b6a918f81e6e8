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
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/sandbox"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
)

// host is the server as the built-in tools see it.
type host struct{ s *Server }

var _ builtin.Host = host{}

func (h host) Registry() *tools.Registry           { return h.s.registry }
func (h host) Components() *builtin.ComponentTools { return h.s.builtIns.components }
func (h host) ReadOnly() bool                      { return h.s.opts.ReadOnly }
func (h host) SandboxOptions() sandbox.Options     { return h.s.opts.Sandbox }
func (h host) Record() *timeline.Options {
	o := h.s.opts.Record
	if o == nil {
		return nil
	}
	return &timeline.Options{Every: o.Every, Memory: int64(o.MemoryMB) << 20, Pin: o.Pin}
}
func (h host) OnResetSandbox(f func()) { h.s.builtIns.resets.add(f) }
func (h host) Build() builtin.Build    { return buildinfo.Process() }

func (h host) Offers(tool string) bool {
	p, ok := listing.Of(h.s.registry).Lookup(tool)
	return ok && h.s.opts.offers(&p.Spec)
}

// What the frame has published.

func (h host) Catalog() *ecs.Catalog        { return h.s.loop.Catalog() }
func (h host) App() *tools.App              { return h.s.loop.View().App }
func (h host) Held() *tools.Held            { return h.s.loop.View().Held }
func (h host) SampleEntities() []ecs.Entity { return h.s.loop.View().Samples }

func (h host) Fresh(c *tools.Call) *loop.View {
	v := h.s.loop.View()
	if !c.OnFrame {
		v = h.s.loop.Current(c.Context)
	}
	c.FrameNo = v.Frame
	return v
}

// The loop.

func (h host) Status() builtin.Status                    { return h.s.loop.Status() }
func (h host) Tick() uint64                              { return h.s.loop.View().Tick }
func (h host) Stall() *loop.StallReport                  { return h.s.loop.Stall() }
func (h host) FrameTimes() builtin.FrameTimes            { return h.s.loop.Speed.FrameTimes() }
func (h host) FrameGoroutine() uint64                    { return h.s.loop.FrameGoroutine() }
func (h host) Observe(o causes.Observer, on bool)        { h.s.loop.Observers.Observe(o, on) }
func (h host) Logger() *slog.Logger                      { return h.s.log }
func (h host) Updated(path string)                       { h.s.updates.Touch(path) }
func (h host) Logs(q logbuf.Query) (logbuf.Page, string) { return h.s.readLogs(q, true) }

func (h host) Operation(id string) (loop.OperationState, string, *tools.Reply) {
	return h.s.loop.Operation(id)
}

// Crashes.

func (h host) PreviousCrash() *builtin.PreviousCrash { return h.s.crashFile.Unread() }
func (h host) InspectCrash(on bool) error            { return h.s.crashes.Inspect(on) }

func (h host) Crash() *builtin.Crash {
	r := h.s.crashes.Report()
	if r == nil {
		return nil
	}
	if v := h.s.loop.View(); v.Catalog != nil && v.Frame > r.Frame {
		r.Locked = v.Catalog.Locked
	}
	return r
}

func (h host) ClearCrash(w ecs.World, unlock bool) (crashes.Cleared, error) {
	r, err := h.s.crashes.Clear(w, unlock)
	if err == nil {
		r.Acknowledged = h.s.crashFile.Acknowledge()
		h.s.loop.Refresh()
	}
	return r, err
}

func (h host) Limits() builtin.Limits {
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
