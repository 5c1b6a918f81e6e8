package builtin

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/google/pprof/profile"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/profiling"
	"github.com/loupe-ecs/loupe/internal/store"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/inspector"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// profileHost is what the profiles need of the server.
type profileHost interface {
	filesHost
	App() *host.App
	Status() Status
	// Tick is what the host's clock said when the frame last told; 0 without one.
	Tick() uint64
}

func profileTools(h profileHost) []*tools.Tool {
	p := &profiler{host: h}
	return tools.Family(tools.Spec{Group: "profile"},
		tools.NewOff(tools.Spec{Name: "profile_start",
			Description: "Starts a profile, also while the game hangs; ends by itself after 60 s.",
			Example:     `{"kind":"cpu"}`}, p.start),
		tools.NewOff(tools.Spec{Name: "profile_stop", Page: inspector.URI, Lasts: tools.LastsFrom("after", 1),
			Description: "Ends the profile, writes pprof and collapsed stacks, sums it by function and system.",
			Example:     `{"name":"slow_wave"}`}, p.stop),
		tools.NewOff(tools.Spec{Name: "profile_heap",
			Description: "Collects garbage, writes a heap profile, sums what is held and newly allocated.",
			Example:     `{"top":10}`}, p.heap),
	)
}

// profiler is shared by the profile tools of one server. The session is the
// process's: the runtime has one CPU profiler.
type profiler struct {
	host       profileHost
	startFrame atomic.Uint64
	startTick  atomic.Uint64
	heapState  profiling.Heap
}

var sessions profiling.Sessions

type profileStartArgs struct {
	Kind   string `json:"kind,omitempty" jsonschema:"what to sample" debug:"enum=cpu|block|mutex,default=cpu"`
	System string `json:"system,omitempty" jsonschema:"this system alone (cpu)"`
}

type profileStartResult struct {
	Running bool   `json:"running" jsonschema:"true: the session is running"`
	Kind    string `json:"kind" jsonschema:"what is sampled"`
	Since   string `json:"since" jsonschema:"start time, RFC 3339"`
	LimitMs int64  `json:"limitMs" jsonschema:"milliseconds after which the session ends by itself"`
}

func (p *profiler) start(_ *tools.Call, in profileStartArgs) (profileStartResult, error) {
	if in.System != "" {
		if err := p.knownSystem(in.System); err != nil {
			return profileStartResult{}, err
		}
		if in.Kind != string(profiling.CPU) && in.Kind != "" {
			return profileStartResult{}, &refusal.Error{Code: refusal.InvalidArguments, Message: "only CPU profiles carry the system label; leave system out or choose kind cpu", Got: in.Kind}
		}
	}
	if in.Kind == "" {
		in.Kind = string(profiling.CPU)
	}
	since, err := sessions.Start(profiling.Kind(in.Kind), in.System)
	switch {
	case errors.Is(err, profiling.ErrRunning):
		return profileStartResult{}, &refusal.Error{Code: refusal.AlreadyRunning, Message: fmt.Sprintf("a profile session is running since %s", since.Format(time.RFC3339)),
			Hint: "profile_stop ends it", Next: "profile_stop"}
	case errors.Is(err, profiling.ErrInUse):
		return profileStartResult{}, &refusal.Error{Code: refusal.AlreadyRunning, Message: "the game runs a CPU profile of its own; it was left alone",
			Hint: "the runtime has one CPU profiler a process: try again when the game has stopped its own, or use kind block or mutex"}
	case err != nil:
		return profileStartResult{}, err
	}
	p.startFrame.Store(p.host.Status().Frame)
	p.startTick.Store(p.host.Tick())
	return profileStartResult{Running: true, Kind: in.Kind, Since: since.Format(time.RFC3339Nano), LimitMs: profiling.MaxDuration.Milliseconds()}, nil
}

func (p *profiler) knownSystem(name string) error {
	times := p.host.App().Times()
	if times == nil {
		return &refusal.Error{Code: refusal.NotSupported, Message: "this game has no schedule whose samples carry a system's name", Next: "capabilities"}
	}
	names := times.History(0).Systems
	for _, n := range names {
		if n == name {
			return nil
		}
	}
	return &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("no system named %q", name), Got: name, Options: refusal.Nearest(name, names), Total: len(names), Next: "systems_list"}
}

type profileStopArgs struct {
	After int    `json:"after,omitempty" jsonschema:"go on first for" debug:"min=0,max=60000,unit=ms"`
	Name  string `json:"name,omitempty" jsonschema:"file name" debug:"default=profile"`
	Top   int    `json:"top,omitempty" jsonschema:"functions to list" debug:"min=1,max=200,default=15"`
	// Stacks gives a client without access to the files what a flame graph needs.
	Stacks int `json:"stacks,omitempty" jsonschema:"collapsed stacks to list" debug:"min=0,max=1000"`
}

type profileStopResult struct {
	Kind       string         `json:"kind" jsonschema:"what was sampled"`
	Pprof      string         `json:"pprof" jsonschema:"file for go tool pprof and speedscope"`
	Collapsed  string         `json:"collapsed" jsonschema:"file of collapsed stacks for flame graph tools"`
	Samples    int64          `json:"samples" jsonschema:"how many samples were taken"`
	DurationMs float64        `json:"durationMs" jsonschema:"length of the session in milliseconds"`
	Frames     uint64         `json:"frames" jsonschema:"frames that the game polled meanwhile"`
	Ticks      uint64         `json:"ticks,omitempty" jsonschema:"ticks that ran meanwhile, where the host has a clock"`
	Unit       string         `json:"unit" jsonschema:"unit of flat and cum"`
	Top        []functionRow  `json:"top" jsonschema:"functions by time of their own"`
	BySystem   []systemShares `json:"bySystem" jsonschema:"time by system of the schedule; name (outside systems) is the rest of the process"`
	Replaced   bool           `json:"replaced,omitempty" jsonschema:"an older profile of that name is gone"`
	Limited    bool           `json:"limited,omitempty" jsonschema:"true: the session had ended by itself at its limit"`
	Stacks     []string       `json:"stacks,omitempty" jsonschema:"the heaviest stacks, outermost function first, each with its number of samples"`
	Hint       string         `json:"hint,omitempty" jsonschema:"what to make of an empty profile"`
}

type functionRow struct {
	Func    string  `json:"func" jsonschema:"name of the function"`
	File    string  `json:"file" jsonschema:"source file and line"`
	Flat    float64 `json:"flat" jsonschema:"in the function itself"`
	Cum     float64 `json:"cum" jsonschema:"in the function and what it calls"`
	Percent float64 `json:"percent" jsonschema:"flat in percent of the whole"`
	PerTick float64 `json:"perTick,omitempty" jsonschema:"cum a tick"`
	// Callers stand here, and not in a tool of their own: who reads of a costly
	// function asks next who calls it.
	Callers []callerRow `json:"callers,omitempty" jsonschema:"who calls it, most first, at most 3"`
}

type callerRow struct {
	Func string  `json:"func" jsonschema:"name of the caller"`
	Cum  float64 `json:"cum" jsonschema:"what it spends there"`
}

type systemShares struct {
	System     string  `json:"system" jsonschema:"its name"`
	Ms         float64 `json:"ms" jsonschema:"milliseconds of CPU time in all"`
	MsPerFrame float64 `json:"msPerFrame" jsonschema:"milliseconds a frame"`
	MsPerTick  float64 `json:"msPerTick,omitempty" jsonschema:"milliseconds a tick"`
	Share      float64 `json:"share" jsonschema:"share of the whole profile, 0 to 1"`
}

const outsideSystems = "(outside systems)"

var fileName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$`)

// checkFileName refuses names that could leave their folder, before anything
// is stopped or written.
func checkFileName(name string) error {
	if !fileName.MatchString(name) {
		return &refusal.Error{Code: refusal.InvalidArguments, Got: name, Want: "letters, digits, _ - and ., no folder",
			Message: fmt.Sprintf("%q is no file name: use up to 100 letters, digits, _ - and ., without a folder", name)}
	}
	return nil
}

func (p *profiler) stop(c *tools.Call, in profileStopArgs) (profileStopResult, error) {
	if in.Name == "" {
		in.Name = "profile"
	}
	if err := checkFileName(in.Name); err != nil {
		return profileStopResult{}, err
	}
	if err := goOn(c, time.Duration(in.After)*time.Millisecond); err != nil {
		return profileStopResult{}, err
	}
	rec, err := sessions.Stop()
	if errors.Is(err, profiling.ErrNotRunning) {
		return profileStopResult{}, &refusal.Error{Code: refusal.NotRunning, Message: "no profile session is running", Next: "profile_start"}
	}
	if err != nil {
		return profileStopResult{}, err
	}
	r, err := p.report(rec, in)
	if err != nil {
		sessions.Keep(rec)
		return r, kept(err)
	}
	return r, nil
}

// goOn lets the session run a while longer; who loses patience ends it early.
func goOn(c *tools.Call, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	if c.OnFrame {
		return &refusal.Error{Code: refusal.NotSupported, Message: "after: the frame would wait for itself", Hint: "call profile_stop over HTTP, or later"}
	}
	if _, _, running := sessions.Running(); !running {
		return nil // which says so
	}
	end := time.NewTimer(d)
	defer end.Stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-end.C:
			return nil
		case <-look.C:
			if c.Stopped() {
				return nil
			}
		case <-c.Context.Done():
			return &refusal.Error{Code: refusal.Cancelled, Message: "the call was given up; the profile goes on", Hint: "profile_stop ends it", Next: "profile_stop"}
		}
	}
}

// kept adds to a failed write that nothing is lost.
func kept(err error) error {
	e := &refusal.Error{Code: refusal.NotSupported, Message: err.Error()}
	if typed, ok := errors.AsType[*refusal.Error](err); ok {
		c := *typed
		e = &c
	}
	e.Message = "the profile could not be written: " + e.Message
	e.Hint = "the samples are kept: call profile_stop again when the folder can be written"
	return e
}

func (p *profiler) report(rec *profiling.Recording, in profileStopArgs) (r profileStopResult, err error) {
	index := profiling.ValueIndex(rec.Profile, "cpu")
	counts := profiling.ValueIndex(rec.Profile, "samples")
	if rec.Kind != profiling.CPU {
		index, counts = profiling.ValueIndex(rec.Profile, "delay"), profiling.ValueIndex(rec.Profile, "contentions")
	}
	r.Replaced = fileExists(p.files(), in.Name, ".pb.gz")
	if r.Pprof, r.Collapsed, err = p.write(in.Name, rec.Profile, counts); err != nil {
		return r, err
	}
	r.Kind, r.Limited, r.Unit = string(rec.Kind), rec.Limited, "ms"
	r.Samples = profiling.Total(rec.Profile, counts)
	r.DurationMs = millis(rec.Duration)
	r.Frames = p.host.Status().Frame - p.startFrame.Load()
	if from, to := p.startTick.Load(), p.host.Tick(); to > from && from > 0 {
		r.Ticks = to - from
	}
	total := profiling.Total(rec.Profile, index)
	r.Top = functionRows(profiling.Top(rec.Profile, index, in.Top), total, 1e6)
	names := make([]string, len(r.Top))
	for i := range r.Top {
		names[i] = r.Top[i].Func
	}
	callers := profiling.Callers(rec.Profile, index, names, maxCallers)
	for i := range r.Top {
		row := &r.Top[i]
		row.PerTick = perTick(row.Cum, r.Ticks)
		for _, c := range callers[row.Func] {
			row.Callers = append(row.Callers, callerRow{c.Name, words.Thousandths(float64(c.Value) / 1e6)})
		}
	}
	r.BySystem = []systemShares{}
	for _, s := range profiling.BySystem(rec.Profile, index) {
		if s.Name == "" {
			s.Name = outsideSystems
		}
		ms := float64(s.Value) / 1e6
		r.BySystem = append(r.BySystem, systemShares{System: s.Name, Ms: words.Thousandths(ms), MsPerFrame: words.Thousandths(ms / math.Max(1, float64(r.Frames))), MsPerTick: perTick(ms, r.Ticks), Share: words.Thousandths(share(s.Value, total))})
	}
	r.Stacks = profiling.Collapsed(rec.Profile, counts, in.Stacks)
	if r.Samples == 0 {
		r.Hint = "no samples: the game hardly ran, or the session was too short (a CPU is sampled about 100 times a second); block and mutex profiles are empty when nothing waited"
	}
	return r, nil
}

// maxCallers is how many callers of a function are told.
const maxCallers = 3

func perTick(v float64, ticks uint64) float64 {
	if ticks == 0 {
		return 0
	}
	return words.Thousandths(v / float64(ticks))
}

func (p *profiler) files() *store.Kind {
	return store.New(p.host.Limits().DataDir).Kind("profiles", ".pb.gz", ".collapsed")
}

// write stores a profile in both forms.
func (p *profiler) write(name string, prof *profile.Profile, index int) (pprof, collapsed string, err error) {
	files := p.files()
	if pprof, _, err = files.WriteAs(name, ".pb.gz", prof.Write); err != nil {
		return "", "", err
	}
	collapsed, _, err = files.WriteAs(name, ".collapsed", func(w io.Writer) error { return profiling.WriteCollapsed(w, prof, index) })
	return pprof, collapsed, err
}

func functionRows(fs []profiling.Func, total int64, unit float64) []functionRow {
	rows := make([]functionRow, 0, len(fs))
	for _, f := range fs {
		rows = append(rows, functionRow{Func: f.Name, File: fmt.Sprintf("%s:%d", f.File, f.Line), Flat: words.Thousandths(float64(f.Flat) / unit), Cum: words.Thousandths(float64(f.Cum) / unit), Percent: words.Thousandths(100 * share(f.Flat, total))})
	}
	return rows
}

type heapArgs struct {
	Name string `json:"name,omitempty" jsonschema:"file name" debug:"default=heap"`
	Top  int    `json:"top,omitempty" jsonschema:"functions to list" debug:"min=1,max=200,default=15"`
}

type heapResult struct {
	Pprof     string        `json:"pprof" jsonschema:"file for go tool pprof"`
	Collapsed string        `json:"collapsed" jsonschema:"file of collapsed stacks, bytes in use"`
	Unit      string        `json:"unit" jsonschema:"unit of flat and cum"`
	Samples   int64         `json:"samples" jsonschema:"sampled objects in use"`
	Replaced  bool          `json:"replaced,omitempty" jsonschema:"an older profile of that name is gone"`
	InUse     int64         `json:"inUseBytes" jsonschema:"bytes in use, estimated from samples"`
	Top       []functionRow `json:"top" jsonschema:"functions whose allocations are in use"`
	Allocated []functionRow `json:"allocated" jsonschema:"functions by bytes allocated since the last call of profile_heap; on the first call since the start"`
}

func (p *profiler) heap(_ *tools.Call, in heapArgs) (r heapResult, err error) {
	if in.Name == "" {
		in.Name = "heap"
	}
	if err := checkFileName(in.Name); err != nil {
		return r, err
	}
	now, grown, err := p.heapState.Read()
	if err != nil {
		return r, err
	}
	if grown == nil {
		grown = now
	}
	inUse, objects, alloc := profiling.ValueIndex(now, "inuse_space"), profiling.ValueIndex(now, "inuse_objects"), profiling.ValueIndex(now, "alloc_space")
	r.Replaced = fileExists(p.files(), in.Name, ".pb.gz")
	if r.Pprof, r.Collapsed, err = p.write(in.Name, now, inUse); err != nil {
		return r, err
	}
	r.Unit, r.Samples, r.InUse = "bytes", profiling.Total(now, objects), profiling.Total(now, inUse)
	r.Top = functionRows(profiling.Top(now, inUse, in.Top), r.InUse, 1)
	r.Allocated = functionRows(profiling.Top(grown, alloc, in.Top), profiling.Total(grown, alloc), 1)
	return r, nil
}

func millis(d time.Duration) float64 {
	return words.Thousandths(float64(d) / float64(time.Millisecond))
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
