package refusal

import "unicode/utf8"

// Code is the stable, machine-readable kind of a refusal. A Code is itself an
// error, so that errors.Is(err, refusal.WorldLocked) asks for the kind.
type Code string

// The codes of the wire contract.
const (
	InvalidArguments Code = "invalid_arguments"
	UnknownComponent Code = "unknown_component"
	UnknownField     Code = "unknown_field"
	UnknownEntity    Code = "unknown_entity"
	EntityDead       Code = "entity_dead"
	ComponentMissing Code = "component_missing"
	WorldLocked      Code = "world_locked"
	NoWorld          Code = "no_world"
	NoApp            Code = "no_app"
	ReadOnly         Code = "read_only"
	Parked           Code = "parked"
	Crashed          Code = "crashed"
	Stalled          Code = "stalled"
	Busy             Code = "busy"
	Timeout          Code = "timeout"
	Cancelled        Code = "cancelled"
	Panicked         Code = "panic"
	TooLarge         Code = "too_large"
	NotFound         Code = "not_found"
	NotSupported     Code = "not_supported"
	AlreadyRunning   Code = "already_running"
	NotRunning       Code = "not_running"
	BadSnapshot      Code = "bad_snapshot"
	ScriptError      Code = "script_error"
	ScriptTimeout    Code = "script_timeout"
	ScriptMemory     Code = "script_memory"
	NotRecorded      Code = "not_recorded"
	NoSession        Code = "no_session"
	BuildFailed      Code = "build_failed"
	Failed           Code = "failed" // a tool's own error
	OutcomeUnknown   Code = "outcome_unknown"
	Closed           Code = "closed"
	Starting         Code = "starting"
	CrashLayout      Code = "crash_layout"
)

// Error returns the code itself.
func (c Code) Error() string { return string(c) }

// Error is the one typed error of Loupe: a refusal that says what was
// received, what is legal and what to do next. It travels to clients as the
// "error" object of a failed tool result.
type Error struct {
	Code    Code     `json:"code"`
	Message string   `json:"message"`           // a whole sentence a person can act on
	Got     any      `json:"got,omitempty"`     // what was received
	Want    any      `json:"want,omitempty"`    // what is legal
	Options []string `json:"options,omitempty"` // at most 10 real values, nearest spelling first
	Total   int      `json:"total,omitempty"`   // how many options there are in all
	Hint    string   `json:"hint,omitempty"`    // what to do about it
	Next    string   `json:"next,omitempty"`    // the tool to call next
	Line    int      `json:"line,omitempty"`    // of a script's source, counted from 1

	// Extra is merged into the structured content beside "error" (a script's
	// printed output, for instance). Keys must not be "error" or "frame".
	Extra map[string]any `json:"-"`
}

// Error gives the message, preceded by nothing: the code travels beside it.
func (e *Error) Error() string { return e.Message }

// Unwrap makes errors.Is(err, code) work.
func (e *Error) Unwrap() error { return e.Code }

// Cut shortens a text for a message: at most n bytes of it, whole characters,
// and "..." where something is missing.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}
