package donburiworld

import (
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/yohamta/donburi"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

const (
	maxVersion = 0xFFFFFF
	ready      = donburi.Entity(0x1000000) // set in every entity that was given out
)

func init() {
	value.RegisterEntityForm(EntityOf, Entity)
	value.RegisterEntityForm(func(e *donburi.Entry) ecs.Entity {
		if e == nil {
			return ecs.Entity{}
		}
		return EntityOf(e.Entity())
	}, entries.entry)
}

// EntityOf is donburi's entity as Loupe names it.
func EntityOf(e donburi.Entity) ecs.Entity {
	return ecs.Entity{ID: uint32(e.Id()), Gen: e.Version()}
}

// Entity is the way back; [donburi.Null] for none. Whether it lives the world
// tells.
func Entity(e ecs.Entity) donburi.Entity {
	if e.IsZero() {
		return donburi.Null
	}
	return donburi.Entity(e.ID)<<32 | donburi.Entity(e.Gen&maxVersion) | ready
}

// entries makes the entries that clients write into values, and those of values
// that come from files. That happens on other goroutines too, so that it looks at
// what the frame goroutine has published alone: donburi never replaces a
// location, only adds some.
var entries entryTable

type entryTable struct {
	world     atomic.Pointer[world] // that was adapted last
	locations atomic.Pointer[[]*location]
	mu        sync.Mutex
	made      map[ecs.Entity]weak.Pointer[entry]
}

func (t *entryTable) entry(e ecs.Entity) *donburi.Entry {
	if e.IsZero() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.made[e].Value()
	if p == nil {
		p = &entry{World: t.world.Load(), id: e.ID, entity: Entity(e), loc: &location{}}
		if at := t.locations.Load(); at != nil && int64(e.ID) < int64(len(*at)) && (*at)[e.ID] != nil {
			p.loc = (*at)[e.ID]
		}
		if t.made == nil {
			t.made = map[ecs.Entity]weak.Pointer[entry]{}
		}
		t.made[e] = weak.Make(p)
	}
	return (*donburi.Entry)(unsafe.Pointer(p))
}

// publish makes the locations that there are now known. Frame goroutine.
func (t *entryTable) publish(w *world) {
	at := t.locations.Load()
	if now := w.entities.LocationMap; t.world.Load() != w || at == nil || len(*at) != len(now) {
		t.world.Store(w)
		t.locations.Store(&now)
	}
}

// settle gives the entries that were made for entities which had no location yet
// theirs. Frame goroutine, after a restore.
func (t *entryTable) settle(w *world) {
	t.publish(w)
	t.mu.Lock()
	defer t.mu.Unlock()
	for e, made := range t.made {
		if p := made.Value(); p == nil {
			delete(t.made, e)
		} else if int64(e.ID) < int64(len(w.entities.LocationMap)) {
			p.loc = w.entities.LocationMap[e.ID]
		}
	}
}
