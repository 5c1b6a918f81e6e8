package loop

import (
	"slices"
	"sync"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
)

// callRing keeps the last calls for crash reports.
type callRing struct {
	mu    sync.Mutex
	calls []crashes.Call
}

const callsKept = 16

func (r *callRing) add(c crashes.Call) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.calls) == callsKept {
		r.calls = append(r.calls[:0], r.calls[1:]...)
	}
	r.calls = append(r.calls, c)
}

func (r *callRing) list() []crashes.Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}
