package watch

import (
	"slices"

	"github.com/loupe-ecs/loupe/tools/host"
)

// publish lets other goroutines see the hits of the tick that has ended, and
// holds the clock if one of them asks for it. A host may count its tick at the
// beginning or at the end of it: all hits of a tick bear the number that the
// clock shows when it is over, as samples of a recording do.
func (s *Set) publish(tickEnded bool) {
	now := s.now()
	if len(s.pending) > 0 {
		one := tickEnded || now-s.tick <= 1
		s.mu.Lock()
		for _, h := range s.pending {
			if one && h.Call == "" {
				h.Tick = now
			}
			s.n++
			h.N = s.n
			s.hits = append(s.hits, h)
			if x := s.find(h.Watch); x != nil {
				x.info.Value = h.New
			}
		}
		if over := len(s.hits) - keepHits; over > 0 {
			s.hits = slices.Delete(s.hits, 0, over)
			s.dropped += uint64(over)
		}
		start := s.opts.Tell != nil && !s.telling
		s.telling = s.telling || start
		s.mu.Unlock()
		clear(s.pending)
		s.pending = s.pending[:0]
		if start {
			go s.tell()
		}
	}
	s.tick = now
	if s.pause != "" {
		by := s.pause
		s.pause = ""
		// A host that refuses goes on: the hit stands all the same.
		if err := s.clock.Set(host.ClockChange{Paused: new(true)}); err == nil && s.opts.Held != nil {
			s.opts.Held(by, now)
		}
	}
}

// find is guarded by s.mu.
func (s *Set) find(id string) *watch {
	if i := slices.IndexFunc(s.all, func(x *watch) bool { return x.id == id }); i >= 0 {
		return s.all[i]
	}
	return nil
}

// tell hands hits on until there are no more.
func (s *Set) tell() {
	for {
		s.mu.Lock()
		from, _ := slices.BinarySearchFunc(s.hits, s.told+1, func(h Hit, n uint64) int { return int(int64(h.N) - int64(n)) })
		fresh := slices.Clone(s.hits[from:])
		if len(fresh) == 0 {
			s.telling = false
			s.mu.Unlock()
			return
		}
		s.told = fresh[len(fresh)-1].N
		s.mu.Unlock()
		s.opts.Tell(fresh)
	}
}

// List describes the watches, or the one with an id. Any goroutine.
func (s *Set) List(id string) ([]Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Info
	var names []string
	for _, x := range s.all {
		names = append(names, x.id)
		if id == "" || x.id == id {
			out = append(out, x.info)
		}
	}
	if id != "" && len(out) == 0 {
		return nil, noWatch(id, names)
	}
	return out, nil
}

// Hits gives the hits of one watch or of all ("") after the n-th, oldest first,
// at most so many, and how many were pushed out before they were read. Any
// goroutine.
func (s *Set) Hits(id string, after uint64, limit int) (hits []Hit, more bool, dropped uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.hits) > 0 && s.hits[0].N > after+1 {
		dropped = s.hits[0].N - after - 1
	}
	for _, h := range s.hits {
		if h.N <= after || id != "" && h.Watch != id {
			continue
		}
		if len(hits) == limit {
			return hits, true, dropped
		}
		hits = append(hits, h)
	}
	return hits, false, dropped
}
