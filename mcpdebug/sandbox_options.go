package mcpdebug

import "time"

// SandboxOptions bounds what run_lua may use. The zero value is the default;
// every limit holds for one call.
type SandboxOptions struct {
	// Timeout is the wall time of a script whose call names none. Default 50 ms.
	Timeout time.Duration
	// MaxTimeout is the most that a call may ask for. Default 1 s, which is also
	// the most that timeoutMs takes.
	MaxTimeout time.Duration
	// MaxSteps bounds instructions and library work. Default 200 million: in
	// practice the wall time decides.
	MaxSteps int64
	// MemoryBytes bounds how much the heap may grow while a script runs.
	// Default 64 MiB.
	MemoryBytes int64
	// PrintBytes bounds what print keeps. Default 16 KiB.
	PrintBytes int
	// ResultBytes bounds the returned values, as JSON. Default 32 KiB.
	ResultBytes int
	// SourceBytes bounds the source text. Default 16 KiB, at most 64 KiB.
	SourceBytes int
	// Changes bounds field writes and structural changes together. Default 100,000.
	Changes int
}
