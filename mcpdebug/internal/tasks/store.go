package tasks

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

const (
	// TTL is for how long a task is kept from its creation; one that works is kept
	// until it has ended, and then for at least Kept.
	TTL  = time.Hour
	Kept = 10 * time.Minute
	// PollEvery is how often a client had best ask.
	PollEvery = 250 * time.Millisecond
	// most is how many there are at a time.
	most = 256
)

// Store holds the tasks of one server. The zero value has none.
type Store struct {
	mu    sync.Mutex
	tasks map[string]*Task
	order []*Task // oldest first
}

// Add begins a task. cancel ends what it does by force. nil: as many as there may
// be are working.
func (s *Store) Add(cancel func()) *Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	if len(s.order) >= most {
		i := slices.IndexFunc(s.order, (*Task).ended)
		if i < 0 {
			return nil
		}
		s.drop(s.order[i])
	}
	now := time.Now()
	t := &Task{id: rand.Text(), cancel: cancel, created: now, updated: now, status: Working}
	if s.tasks == nil {
		s.tasks = map[string]*Task{}
	}
	s.tasks[t.id] = t
	s.order = append(s.order, t)
	return t
}

// Find is nil for an id that nobody was given or that has expired.
func (s *Store) Find(id string) *Task {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
	return s.tasks[id]
}

// Drop forgets a task that its client has never heard of.
func (s *Store) Drop(t *Task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(t)
}

func (s *Store) drop(t *Task) {
	delete(s.tasks, t.id)
	s.order = slices.DeleteFunc(s.order, func(x *Task) bool { return x == t })
}

func (s *Store) forget() {
	now := time.Now()
	for _, t := range slices.Clone(s.order) {
		if t.expired(now) {
			s.drop(t)
		}
	}
}

// Watch calls f, which must not block, with each task of the ids whenever it
// changes, and once at the beginning.
func (s *Store) Watch(ids []string, f func(*Task)) (stop func()) {
	var watched []*Task
	for _, id := range s.Known(ids) {
		if t := s.Find(id); t != nil {
			watched = append(watched, t)
		}
	}
	w := &watcher{f}
	for _, t := range watched {
		t.watch(w)
	}
	return func() {
		for _, t := range watched {
			t.unwatch(w)
		}
	}
}

type watcher struct{ tell func(*Task) }

// Known are those of the ids that are tasks, each once.
func (s *Store) Known(ids []string) []string {
	known := []string{}
	for _, id := range ids {
		if s.Find(id) != nil && !slices.Contains(known, id) {
			known = append(known, id)
		}
	}
	return known
}
