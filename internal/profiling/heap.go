package profiling

import (
	"runtime"
	"sync"

	"github.com/google/pprof/profile"
)

// Heap reads heap profiles and what was allocated between two of them. The
// zero value is ready.
type Heap struct {
	mu   sync.Mutex
	last *profile.Profile
}

// Read collects garbage, so that what is in use is what is reachable, and
// returns the heap profile and the difference to the last Read (nil the first
// time).
func (h *Heap) Read() (now, grown *profile.Profile, err error) {
	runtime.GC()
	if now, err = lookup("heap"); err != nil {
		return nil, nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last != nil {
		if grown, err = since(h.last, now); err != nil {
			return nil, nil, err
		}
	}
	h.last = now.Copy()
	return now, grown, nil
}
