package limits

import "time"

// Script bounds what scripts may use. The zero value is the default; every
// limit holds for one call, except StashBytes.
type Script struct {
	// Timeout is the wall time of a script whose call names none. Default 50 ms.
	Timeout time.Duration
	// MaxTimeout is the most that a call may ask for. Default 1 s.
	MaxTimeout time.Duration
	// MaxSteps bounds VM instructions, and library work counted as such (about
	// 64 bytes, or one element, a step). Default 200 million: in practice the
	// wall time decides; set it lower for results that do not depend on load.
	MaxSteps int64
	// MemoryBytes bounds how much the process's heap may grow while a script
	// runs, garbage that is not yet swept included. Default 64 MiB.
	MemoryBytes int64
	// StashBytes bounds what the script's globals may hold from call to call.
	// Default 32 MiB.
	StashBytes int64
	// StringBytes bounds one string. Default 4 MiB.
	StringBytes int
	// PrintBytes bounds what print keeps; the rest is dropped and the result
	// marked truncated. Default 16 KiB.
	PrintBytes int
	// ResultBytes bounds the size of the returned values, as JSON. Default 32 KiB.
	ResultBytes int
	// ResultDepth bounds how deep returned tables are followed. Default 8.
	ResultDepth int
	// ResultEntries bounds the entries of one returned table. Default 1000.
	ResultEntries int
	// SourceBytes bounds the source text. Default 16 KiB, at most 64 KiB: time
	// and stack of the compiler grow with it.
	SourceBytes int
	// Nesting bounds how deep brackets, blocks, functions and operators nest in
	// the source. Default 200.
	Nesting int
	// Changes bounds field writes and structural changes together. Default 100,000.
	Changes int
	// Rows bounds the entities that one query may give. Default 1,000,000.
	Rows int
	// CacheSize is how many compiled chunks are kept. Default 64.
	CacheSize int
}

// WithDefaults puts the default in the place of every 0.
func (o Script) WithDefaults() Script {
	def := func(p *int, v int) {
		if *p <= 0 {
			*p = v
		}
	}
	if o.Timeout <= 0 {
		o.Timeout = 50 * time.Millisecond
	}
	if o.MaxTimeout <= 0 {
		o.MaxTimeout = time.Second
	}
	if o.MaxSteps <= 0 {
		o.MaxSteps = 200_000_000
	}
	if o.MemoryBytes <= 0 {
		o.MemoryBytes = 64 << 20
	}
	if o.StashBytes <= 0 {
		o.StashBytes = 32 << 20
	}
	def(&o.StringBytes, 4<<20)
	def(&o.PrintBytes, 16<<10)
	def(&o.ResultBytes, 32<<10)
	def(&o.ResultDepth, 8)
	def(&o.ResultEntries, 1000)
	def(&o.SourceBytes, 16<<10)
	o.SourceBytes = min(o.SourceBytes, 64<<10)
	def(&o.Nesting, 200)
	o.Nesting = min(o.Nesting, 200)
	def(&o.Changes, 100_000)
	def(&o.Rows, 1_000_000)
	def(&o.CacheSize, 64)
	return o
}
