package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/stacks"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/keep"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/tooltest"
	"github.com/loupe-ecs/loupe/sandbox"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// offHost is the part of a server that off-frame tools need.
type offHost struct {
	Host
	registry *tools.Registry
	app      *host.App
	dir      string
	frame    uint64
}

func (h *offHost) Registry() *tools.Registry { return h.registry }
func (h *offHost) App() *host.App            { return h.app }
func (h *offHost) Limits() Limits            { return Limits{DataDir: h.dir} }
func (h *offHost) Status() Status            { return Status{State: "running", Frame: h.frame} }
func (h *offHost) Tick() uint64              { return 100 + 2*h.frame }
func (h *offHost) Catalog() *ecs.Catalog     { return nil }

func (h *offHost) Shown() *timeline.Recorder       { return nil }
func (h *offHost) Keeping() keep.Options           { return keep.Options{Dir: h.dir} }
func (h *offHost) Goroutines() []byte              { return stacks.All() }
func (h *offHost) Recording() *Recording           { return nil }
func (h *offHost) OnResetSandbox(func())           {}
func (h *offHost) SandboxOptions() sandbox.Options { return sandbox.Options{} }

func profileHarness(t *testing.T) (*tooltest.Harness, *offHost) {
	t.Helper()
	host := &offHost{dir: t.TempDir()}
	h := tooltest.New(t, profileTools(host)...)
	host.registry = h.Reg
	t.Cleanup(func() { sessions.Abandon() })
	return h, host
}

//go:noinline
func hotSystem(until time.Time) (n int) {
	for time.Now().Before(until) {
		n++
	}
	return n
}

func TestProfileFindsTheHotSystem(t *testing.T) {
	h, host := profileHarness(t)
	h.OK("profile_start", `{}`)
	h.Refused("profile_start", `{}`, refusal.AlreadyRunning, "profile_stop")
	pprof.Do(t.Context(), pprof.Labels("system", "hot"), func(context.Context) { hotSystem(time.Now().Add(300 * time.Millisecond)) })
	host.frame = 30
	h.Refused("profile_stop", `{"name":"../evil"}`, refusal.InvalidArguments, "folder")
	r := h.OK("profile_stop", `{"name":"p"}`)
	by, _ := json.Marshal(r["bySystem"])
	top, _ := json.Marshal(r["top"])
	if !strings.Contains(string(by), `"system":"hot"`) || !strings.Contains(string(top), "hotSystem") {
		t.Errorf("the hot system is not found: %s\n%s", by, top)
	}
	if n, _ := r["frames"].(json.Number).Int64(); n != 30 {
		t.Errorf("frames %v, want 30", r["frames"])
	}
	if n, _ := r["ticks"].(json.Number).Int64(); n != 60 || !strings.Contains(string(top), "TestProfileFindsTheHotSystem") || !strings.Contains(string(by), `"msPerTick"`) {
		t.Errorf("ticks %v, want 60 and shares of one; the caller of the hot function: %s %s", r["ticks"], top, by)
	}
	text, err := os.ReadFile(r["pprof"].(string))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := profile.Parse(bytes.NewReader(text)); err != nil {
		t.Errorf("the file does not parse: %v", err)
	}
	collapsed, err := os.ReadFile(r["collapsed"].(string))
	if err != nil || !strings.Contains(string(collapsed), ";") {
		t.Errorf("collapsed stacks: %v %.200s", err, collapsed)
	}
	h.Refused("profile_stop", `{}`, refusal.NotRunning, "profile_start")
}

func TestProfileOfTheHostIsLeftAlone(t *testing.T) {
	h, _ := profileHarness(t)
	var own bytes.Buffer
	if err := pprof.StartCPUProfile(&own); err != nil {
		t.Skip("the test binary is being profiled: ", err)
	}
	e := h.Refused("profile_start", `{}`, refusal.AlreadyRunning)
	if !strings.Contains(e.Message, "of its own") {
		t.Errorf("got %q", e.Message)
	}
	h.Refused("profile_stop", `{}`, refusal.NotRunning)
	pprof.StopCPUProfile()
	if own.Len() == 0 {
		t.Error("the game's own profile was ended")
	}
}

func TestSamplesSurviveAFailedWrite(t *testing.T) {
	h, host := profileHarness(t)
	h.OK("profile_start", `{"kind":"mutex"}`)
	good := host.dir
	host.dir = filepath.Join(good, "file")
	if err := os.WriteFile(host.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, e := h.Call("profile_stop", `{"name":"kept"}`)
	if e == nil || !strings.Contains(e.Hint, "kept") {
		t.Fatalf("writing below a file: %v", e)
	}
	host.dir = good
	if r := h.OK("profile_stop", `{"name":"kept"}`); r["kind"] != "mutex" {
		t.Errorf("got %v", r)
	}
}

func TestEmptyProfileIsAnAnswer(t *testing.T) {
	h, _ := profileHarness(t)
	h.OK("profile_start", `{"kind":"block"}`)
	if r := h.OK("profile_stop", `{}`); r["hint"] == nil || len(r["top"].([]any)) != 0 {
		t.Errorf("got %v, want a hint", r)
	}
	h.Refused("profile_start", `{"kind":"gpu"}`, refusal.InvalidArguments, "mutex")
	h.Refused("profile_start", `{"kind":"cpu","system":"x"}`, refusal.NotSupported)
}

func TestHeapProfile(t *testing.T) {
	h, _ := profileHarness(t)
	for range 2 {
		r := h.OK("profile_heap", `{"name":"h","top":3}`)
		if n, _ := r["inUseBytes"].(json.Number).Int64(); n <= 0 || len(r["top"].([]any)) == 0 {
			t.Errorf("got %v", r)
		}
	}
}

// clock is a schedule with times written down.
type clock struct {
	host.Systems
	history host.History
}

func (c clock) Running() (string, time.Duration) { return "ai", time.Millisecond }
func (c clock) History(n int) host.History {
	h := c.history
	if n < len(h.Frames) {
		h.Frames = h.Frames[len(h.Frames)-n:]
	}
	return h
}

func TestFrameTimesBlameTheSystem(t *testing.T) {
	c := clock{history: host.History{Systems: []string{"ai", "movement"}, Phases: []string{"ai", "movement"}}}
	for i := range 100 {
		ai, move := 1*time.Millisecond, 2*time.Millisecond
		if i == 60 {
			ai = 9 * time.Millisecond
		}
		c.history.Frames = append(c.history.Frames, host.FrameTimes{Frame: uint64(1000 + i), Busy: ai + move, Systems: []time.Duration{ai, move}})
	}
	c.history.Frames[10].Systems[0] = -1
	app := &host.App{Systems: c}
	r, err := frameTimes(app, frameTimesArgs{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Frames != 100 || r.From != 1000 || r.To != 1099 || r.P50Ms != 3 || r.P99Ms != 3 || r.MaxMs != 11 || r.AvgMs != 3.08 {
		t.Errorf("got %+v", r)
	}
	if len(r.Spikes) != 1 || r.Spikes[0] != (spike{Frame: 1060, Ms: 11, System: "ai"}) {
		t.Errorf("spikes %+v", r.Spikes)
	}
	if len(r.Systems) != 2 || r.Systems[0] != (systemTimes{System: "movement", Phase: "movement", AvgMs: 2, P95Ms: 2, MaxMs: 2, Runs: 100}) || r.Systems[1].Runs != 99 {
		t.Errorf("systems %+v", r.Systems)
	}
	if n := len([]rune(r.Sparkline)); n != 60 || !strings.Contains(r.Sparkline, "█") {
		t.Errorf("sparkline %q", r.Sparkline)
	}
	if r, err := frameTimes(app, frameTimesArgs{Frames: 10, System: "movement"}); err != nil || r.Frames != 10 || r.MaxMs != 2 || len(r.Systems) != 1 {
		t.Errorf("narrowed: %+v, %v", r, err)
	}
	if _, err := frameTimes(app, frameTimesArgs{System: "movment"}); err == nil || err.(*refusal.Error).Options[0] != "movement" {
		t.Errorf("misspelt: %v", err)
	}
	if r, err := frameTimes(&host.App{Systems: clock{}}, frameTimesArgs{}); err != nil || r.Frames != 0 {
		t.Errorf("no frames yet: %+v, %v", r, err)
	}
}

func TestProfileStopSaysWhatItReplaces(t *testing.T) {
	h, _ := profileHarness(t)
	for i, want := range []any{nil, true} {
		h.OK("profile_start", tooltest.Obj{"kind": "block"})
		if out := h.OK("profile_stop", tooltest.Obj{}); out["replaced"] != want {
			t.Errorf("stop %d: replaced %v, want %v", i, out["replaced"], want)
		}
	}
	for i, want := range []any{nil, true} {
		if out := h.OK("profile_heap", tooltest.Obj{}); out["replaced"] != want {
			t.Errorf("heap %d: replaced %v, want %v", i, out["replaced"], want)
		}
	}
}

// Frames in which the simulation stood still say nothing of a tick's time.
func TestFrameTimesOfFramesWithoutATick(t *testing.T) {
	h := host.History{Systems: []string{"movement", "combat", "camera"}, Phases: []string{"update", "update", "view"}}
	for n := range uint64(5) {
		h.Frames = append(h.Frames, host.FrameTimes{Frame: n, Busy: 3000, Systems: []time.Duration{1000, 1000, 1000}})
	}
	if r, err := frameTimes(&host.App{Systems: stillClock{history: h}}, frameTimesArgs{}); err != nil || r.Hint != "" {
		t.Errorf("ticks alone: hint %q, %v", r.Hint, err)
	}
	for n := range uint64(3) {
		h.Frames = append(h.Frames, host.FrameTimes{Frame: 5 + n, Busy: 1000, Systems: []time.Duration{-1, -1, 1000}})
	}
	if r, err := frameTimes(&host.App{Systems: stillClock{history: h}}, frameTimesArgs{}); err != nil || !strings.Contains(r.Hint, "3 of the 8 frames") {
		t.Errorf("3 frames without a tick: hint %q, %v", r.Hint, err)
	}
}

type stillClock struct {
	host.Systems
	history host.History
}

func (stillClock) Running() (string, time.Duration) { return "", 0 }
func (c stillClock) History(int) host.History       { return c.history }
