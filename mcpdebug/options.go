package mcpdebug

import (
	"log/slog"
	"slices"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// DefaultAddr is where a server listens unless told otherwise: loopback only.
const DefaultAddr = "127.0.0.1:7100"

// Options configures a server. The zero value is the default; a nil *Options
// is the zero value. It is read once, when the server is made.
type Options struct {
	// Registry holds the tools. It belongs to the host and survives Close: a
	// later server with the same registry offers the same tools. One server at a
	// time: the built-in tools in it are the latest server's. A host's tool
	// that has the name of a built-in one takes its place. Default: a new one,
	// which no later server knows: a game that closes its server and makes
	// another keeps its tools by passing one registry to both.
	Registry *tools.Registry
	// Logger gets crashes, stalls, refused connections and destructive calls.
	// Default nil: silent.
	Logger *slog.Logger

	// QueueLen is how many calls may wait for the frame; more are refused with
	// busy. Default 64.
	QueueLen int
	// CallTimeout bounds a call from its arrival to its answer. Default 30 s.
	CallTimeout time.Duration
	// StallAfter is how long no Poll may come before the game counts as
	// stalled. Default 2 s.
	StallAfter time.Duration
	// StallHint tells what else may keep this kind of loop from polling: windows
	// that an engine does not update. It comes first in the refusals of a stalled
	// game. Default "".
	StallHint string

	// FixedPort: if another Loupe has the port of DefaultAddr, Listen refuses
	// instead of taking the next free port of a small range. Every other address
	// is taken as it is or refused in any case. Default false.
	FixedPort bool
	// NoDiscovery: the server writes no file that lets the user's bridges and
	// command lines find it. Default false: it is announced, by a file in the
	// user's runtime directory that only the user can read and that names its
	// address, its process and its build, never its token.
	NoDiscovery bool

	// CrashFile keeps fatal errors that Go cannot recover (concurrent map
	// writes, stack overflow, a panic in another goroutine) for the next
	// process's crash_report. It takes the process's one
	// runtime/debug.SetCrashOutput slot; two small files of the same name are
	// kept beside it. Default "": off.
	CrashFile string
	// DataDir is the one directory that tools may write in (snapshots,
	// profiles, screenshots). It is made when first used. Default: the folder
	// loupe/<program> in the user's cache directory.
	DataDir string

	// ReadOnly refuses every tool that may change the game. Default false.
	ReadOnly bool
	// Allow names the tools and groups that clients may call and see; empty:
	// all. Default empty.
	Allow []string
	// Deny names tools and groups that clients may neither call nor see; it
	// wins over Allow. Default empty.
	Deny []string
	// OnCall sees every call of a known tool twice: before anything is run,
	// with a nil outcome, and when it is answered. It is called on the
	// goroutine of the request (for Dispatch: the caller's), concurrently, and
	// must not block. Default nil.
	OnCall func(request tools.Request, outcome *Outcome)

	// Record records the world from the first Bind on, so that what happened
	// before anybody looked can be asked for (record_info, history, rewind). The
	// frame pays for a copy of the world a tick. Default nil: not before a client
	// asks (record_start).
	Record *RecordOptions

	// BlackBox has the recording written on into a file at intervals, so that a
	// game that is killed leaves its last seconds; loupe open shows it. Default
	// nil: a file is written where Guard records a panic and where the game
	// stalls, if it is recorded.
	BlackBox *BlackBoxOptions

	// Components chooses which tools are generated from component types and
	// which of them are listed. Default: see ComponentOptions.
	Components ComponentOptions

	// Sandbox bounds what scripts may use. Default: see SandboxOptions.
	Sandbox SandboxOptions

	// NoInspector serves no page for people: neither at the server's address nor
	// to clients that show pages. Default false.
	NoInspector bool

	// Token, if set, is asked of every request as "Authorization: Bearer
	// TOKEN". Needed beyond loopback. Default: the environment variable
	// LOUPE_TOKEN, then TokenFile, else none is asked for.
	Token string
	// TokenFile holds the token; only its owner may be able to read it.
	// Default "": none.
	TokenFile string
	// AllowedOrigins lists web origins ("https://tool.example") whose pages may
	// send requests and read the answers. Pages of this machine, on any port, may
	// send requests in any case. Default empty.
	AllowedOrigins []string
	// AllowedHosts lists the Host names that may be used beside loopback's.
	// Default empty.
	AllowedHosts []string
	// AllowNonLoopback lets Listen bind an address that other machines reach;
	// it needs a Token too. Default false.
	AllowNonLoopback bool
	// Instructions are shown to clients when they connect, before the server's
	// own: some clients cut the whole at 2,048 characters. Default "".
	Instructions string
}

// RecordOptions configures recording. The zero value is the default.
type RecordOptions struct {
	// Every is how many ticks lie between samples, 1 to 600. Default 1.
	Every int
	// MemoryMB is what the samples may take. The packer and the copies under way
	// take about five times the world besides. Default 256.
	MemoryMB int
	// Pin ends recording when the memory is full. Default false: the oldest
	// samples are forgotten.
	Pin bool
}

// BlackBoxOptions configures the files that are written by themselves, in the
// folder recordings of DataDir. The zero value is the default.
type BlackBoxOptions struct {
	// Every is how much time lies between writes. Default 5 s.
	Every time.Duration
	// Files is how many are kept. Default 4.
	Files int
	// MaxMB is from what size on a file is followed by another. Default 16.
	MaxMB int
	// Off: none is written at all, not even where the game panics or stalls.
	// Default false.
	Off bool
}

// ComponentOptions configures what is generated from component types.
type ComponentOptions struct {
	// List chooses which generated tools tools/list shows: "auto" (components
	// that live in the world now, as far as there is room), "all", "none", or a
	// comma-separated list of components. All can be called in any case.
	// Default "auto".
	List string
	// MaxListed bounds how many tools "auto" lists, MaxListedBytes how many bytes
	// of the listing they take. Default 24 and 8 KiB.
	MaxListed, MaxListedBytes int
	// Prefix is put before every generated tool name. Default "".
	Prefix string
	// Scheme is the URI scheme of the resources. Default "ecs".
	Scheme string
	// NoComputed leaves computed values out of the documents. Default false.
	NoComputed bool
	// NoActions generates no tools for actions. Default false.
	NoActions bool
	// NoConfigure generates no <Component>_configure tools. Default false.
	NoConfigure bool
}

// Outcome is how a call ended, for Options.OnCall.
type Outcome struct {
	Frame    uint64        // host frame it was answered in
	Code     refusal.Code  // "" if it succeeded
	Message  string        // of the refusal
	Duration time.Duration // from arrival to answer
}

func (o *Options) withDefaults() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Registry == nil {
		c.Registry = tools.NewRegistry()
	}
	if c.NoInspector {
		c.Deny = append(slices.Clip(c.Deny), "inspector")
	}
	if c.QueueLen <= 0 {
		c.QueueLen = 64
	}
	if c.CallTimeout <= 0 {
		c.CallTimeout = 30 * time.Second
	}
	if c.StallAfter <= 0 {
		c.StallAfter = 2 * time.Second
	}
	if c.Components.Scheme == "" {
		c.Components.Scheme = "ecs"
	}
	return c
}
