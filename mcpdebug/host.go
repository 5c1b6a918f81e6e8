//go:build !nomcpdebug

package mcpdebug

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/builtin"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/front"
	"github.com/loupe-ecs/loupe/sandbox"
	"github.com/loupe-ecs/loupe/tools"
)

// host is the server as the built-in tools see it.
type host struct{ s *Server }

var _ builtin.Host = host{}

func (h host) SampleEntities() []ecs.Entity { return h.s.view.Load().samples }
func (h host) Offers(tool string) bool {
	p, ok := h.s.registry.Listing().Lookup(tool)
	return ok && h.s.offers(&p.Spec)
}
func (h host) SandboxOptions() sandbox.Options {
	o := h.s.opts.Sandbox
	return sandbox.Options{Timeout: o.Timeout, MaxTimeout: o.MaxTimeout, MaxSteps: o.MaxSteps, MemoryBytes: o.MemoryBytes,
		PrintBytes: o.PrintBytes, ResultBytes: o.ResultBytes, SourceBytes: o.SourceBytes, Changes: o.Changes}
}
func (h host) Components() *builtin.ComponentTools { return h.s.components }
func (h host) Paused() *bool                       { return h.s.view.Load().paused }
func (h host) Registry() *tools.Registry           { return h.s.registry }
func (h host) Catalog() *ecs.Catalog               { return h.s.view.Load().catalog }
func (h host) App() *tools.App                     { return h.s.view.Load().app }
func (h host) ReadOnly() bool                      { return h.s.opts.ReadOnly }
func (h host) FrameGoroutine() uint64              { return h.s.frameGo.Load() }

func (h host) FreshCatalog(ctx context.Context) (*ecs.Catalog, uint64) {
	v := h.s.view.Load()
	if v.bound {
		v = h.s.fresh(ctx, time.Second)
	}
	return v.catalog, v.frame
}

func (h host) Status() builtin.Status {
	s := h.s
	st := builtin.Status{State: s.state(), Frame: s.frame.Load(), Waiting: s.queue.len(), Uptime: time.Since(s.started)}
	if p := s.park.Load(); p != nil {
		st.Operation = p.operation
		st.Since = time.Since(p.since)
	}
	if p := s.stall.Load(); p != nil {
		st.Since = time.Since(p.since)
	}
	if c := s.crash.Load(); c != nil {
		st.Crash = c.wire
		st.Since = time.Since(c.report.At)
	}
	return st
}

func (h host) Summary() (json.RawMessage, uint64) {
	v := h.s.view.Load()
	return v.summary, v.frame
}

func (h host) Build() builtin.Build                    { return buildInfo() }
func (h host) FrameTimes() builtin.FrameTimes          { return h.s.frameTimes() }
func (h host) Logs(q builtin.LogQuery) builtin.LogPage { return h.s.readLogs(q, true) }
func (h host) PreviousCrash() *builtin.PreviousCrash   { return h.s.crashes.unread() }

func (h host) Crash() *builtin.Crash {
	c := h.s.crash.Load()
	cleared := c == nil
	if cleared {
		if c = h.s.lastCrash.Load(); c == nil {
			return nil
		}
	}
	r := c.report
	r.Inspecting, r.Cleared = c.inspecting.Load() && !cleared, cleared
	if v := h.s.view.Load(); v.catalog != nil && v.frame > r.Frame {
		r.Locked = v.catalog.Locked
	}
	return &r
}

func (h host) InspectCrash(on bool) error {
	c := h.s.crash.Load()
	if c == nil {
		return &refusal.Error{Code: refusal.NotRunning, Message: "the game is not crashed: there is nothing to inspect", Hint: "every tool runs; query reads the world"}
	}
	c.inspecting.Store(on)
	return nil
}

func (h host) ClearCrash(w ecs.World, unlock bool) (r builtin.Cleared, err error) {
	s := h.s
	c := s.crash.Load()
	r.WasCrashed = c != nil
	r.Locked = s.worldLocked()
	if unlock && r.Locked {
		if err := unlockWorld(w); err != nil {
			return r, err
		}
		r.Unlocked, r.Locked = true, s.worldLocked()
	}
	r.Acknowledged = s.crashes.acknowledge()
	if c != nil && s.crash.CompareAndSwap(c, nil) {
		s.log.Info("the crash was cleared", "frame", s.frame.Load(), "unlocked", r.Unlocked, "locked", r.Locked)
	}
	s.word.Or(bitRefresh)
	return r, nil
}

func unlockWorld(w ecs.World) (err error) {
	u, ok := w.(ecs.Unlocker)
	if !ok {
		return &refusal.Error{Code: refusal.NotSupported, Message: "this engine's adapter cannot release the lock of an interrupted query; the crash was not cleared",
			Hint: "call clear_crash without unlock: reading goes on, structural changes stay refused"}
	}
	defer func() {
		if p := recover(); p != nil {
			err = &refusal.Error{Code: refusal.CrashLayout, Message: "releasing the lock panicked: " + panicText(p) + "; the crash was not cleared"}
		}
	}()
	return u.Unlock()
}

func (h host) Limits() builtin.Limits {
	s := h.s
	return builtin.Limits{QueueLen: s.opts.QueueLen, CallTimeout: s.opts.CallTimeout, StallAfter: s.opts.StallAfter, MaxReplyBytes: maxReplyBytes,
		ProtocolVersions: front.ProtocolVersions(), Address: s.URL(), DataDir: s.dataDir(), CrashFile: s.opts.CrashFile}
}

func (h host) OnResetSandbox(f func()) {
	h.s.resets.mu.Lock()
	defer h.s.resets.mu.Unlock()
	h.s.resets.fs = append(h.s.resets.fs, f)
}

// dataDir is the absolute path of the writable root.
func (s *Server) dataDir() string {
	dir := s.opts.DataDir
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

var processStart = time.Now()

// buildInfo identifies the program. The linker's stamp is read once.
var buildInfo = sync.OnceValue(func() builtin.Build {
	b := builtin.Build{Go: runtime.Version(), PID: os.Getpid(), StartedAt: processStart.Format(time.RFC3339Nano)}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Module, b.Version = info.Main.Path, info.Main.Version
	if b.Module == "" {
		b.Module = info.Path
	}
	for _, kv := range info.Settings {
		switch kv.Key {
		case "vcs.revision":
			b.Revision = kv.Value
		case "vcs.modified":
			b.Dirty = kv.Value == "true"
		}
	}
	return b
})
