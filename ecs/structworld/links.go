package structworld

import (
	"reflect"
	"sync"
	"weak"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// links tells which entities pointers to T mean, of whichever of a world's kinds
// they are. Values are read and made on other goroutines too, when files are saved
// and loaded.
type links[T any] struct {
	mu    sync.Mutex
	kinds []map[*T]ecs.Entity            // the living, by the kinds of this type
	was   map[weak.Pointer[T]]ecs.Entity // what those were that have died since
	boxes map[ecs.Entity]weak.Pointer[T] // all that somebody may still point at
	next  int                            // size of boxes and was at which to look for dead ones
	// twice: an entity has had two boxes, one before a restore and one after, and
	// images may point at either. met are those that one of them points at, while
	// it is restored.
	twice bool
	met   map[ecs.Entity]*T
}

// tables holds the links by element type: a field's type says nothing of the
// world that it belongs to, so that the world that was made last has them.
var tables sync.Map // reflect.Type -> *links[T]

// linksOf gives the links for T of a world that is being made, and makes pointers
// to T entities wherever they are met.
func linksOf[T any](w *World) *links[T] {
	t := reflect.TypeFor[T]()
	if l, begun := w.links[t]; begun {
		return l.(*links[T])
	}
	l := &links[T]{boxes: map[ecs.Entity]weak.Pointer[T]{}, was: map[weak.Pointer[T]]ecs.Entity{}, next: 1024}
	if w.links == nil {
		w.links = map[reflect.Type]linker{}
	}
	w.links[t] = l
	if _, known := tables.Swap(t, l); !known {
		now := func() *links[T] { l, _ := tables.Load(t); return l.(*links[T]) }
		value.RegisterEntityForm(
			func(p *T) ecs.Entity { return now().entity(p) },
			func(e ecs.Entity) *T {
				if e.IsZero() {
					return nil
				}
				return now().box(e)
			})
	}
	return l
}

// join adds a kind of pointers to T.
func (l *links[T]) join() (kind int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kinds = append(l.kinds, map[*T]ecs.Entity{})
	return len(l.kinds) - 1
}

// entity is what a pointer means: an element, or one that has died since.
func (l *links[T]) entity(p *T) (e ecs.Entity) {
	if p == nil {
		return e
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known := false
	for _, of := range l.kinds {
		if e, known = of[p]; known {
			break
		}
	}
	if !known && len(l.was) > 0 {
		e = l.was[weak.Make(p)]
	}
	if l.met != nil && l.met[e] == nil && !e.IsZero() {
		l.met[e] = p
	}
	return e
}

// linker is the links of some type.
type linker interface {
	// meet begins to note what is pointed at, where that may matter; part ends it.
	meet() (matters bool)
	part()
}

func (l *links[T]) meet() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.twice {
		l.met = map[ecs.Entity]*T{}
	}
	return l.twice
}

func (l *links[T]) part() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.met = nil
}

// box is where an entity's value is, was, or will be when it comes back.
func (l *links[T]) box(e ecs.Entity) *T {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.met[e]; p != nil {
		return p
	}
	if p := l.boxes[e].Value(); p != nil {
		return p
	}
	p := new(T)
	l.remember(p, e)
	return p
}

func (l *links[T]) learn(kind int, p *T, e ecs.Entity) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kinds[kind][p] = e
	l.remember(p, e)
}

func (l *links[T]) forget(kind int, p *T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.kinds[kind][p]
	delete(l.kinds[kind], p)
	l.was[weak.Make(p)] = e
}

func (l *links[T]) remember(p *T, e ecs.Entity) {
	if max(len(l.boxes), len(l.was)) >= l.next {
		for e, was := range l.boxes {
			if was.Value() == nil {
				delete(l.boxes, e)
			}
		}
		for was := range l.was {
			if was.Value() == nil {
				delete(l.was, was)
			}
		}
		l.next = max(1024, 2*len(l.boxes), 2*len(l.was))
	}
	if before := l.boxes[e].Value(); before != nil && before != p {
		l.twice = true
	}
	l.boxes[e] = weak.Make(p)
}
