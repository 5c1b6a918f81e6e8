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
	boxes map[ecs.Entity]weak.Pointer[T] // all that somebody may still point at
	next  int                            // size of boxes at which to look for dead ones
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
	l := &links[T]{boxes: map[ecs.Entity]weak.Pointer[T]{}, next: 1024}
	if w.links == nil {
		w.links = map[reflect.Type]any{}
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

func (l *links[T]) entity(p *T) ecs.Entity {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, of := range l.kinds {
		if e, ok := of[p]; ok {
			return e
		}
	}
	return ecs.Entity{}
}

// box is where an entity's value is, was, or will be when it comes back.
func (l *links[T]) box(e ecs.Entity) *T {
	l.mu.Lock()
	defer l.mu.Unlock()
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
	delete(l.kinds[kind], p)
}

func (l *links[T]) remember(p *T, e ecs.Entity) {
	if len(l.boxes) >= l.next {
		for e, was := range l.boxes {
			if was.Value() == nil {
				delete(l.boxes, e)
			}
		}
		l.next = max(1024, 2*len(l.boxes))
	}
	l.boxes[e] = weak.Make(p)
}
