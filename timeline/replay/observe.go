package replay

import (
	"cmp"
	"errors"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Written is what a system did to one component or resource.
type Written struct {
	Name     string `json:"name" jsonschema:"component or resource"`
	Resource bool   `json:"resource,omitempty" jsonschema:"it is a resource"`
	Entities int    `json:"entities" jsonschema:"entities whose value it changed"`
	Values   int    `json:"values" jsonschema:"how often it changed a value, over all ticks"`
	Added    int    `json:"added,omitempty" jsonschema:"how often it gave the component to a living entity"`
	Removed  int    `json:"removed,omitempty" jsonschema:"how often it took it from one"`
}

// Observation runs ticks and compares the world before and after one system, to
// see what the system really changes. What it writes and leaves equal is not
// seen.
type Observation struct {
	System string
	Ticks  int

	Ran     int
	Ended   string // why fewer ticks ran; "" if all did
	Runs    int    // of the system
	Spawned int
	Despawn int

	aside         Aside
	cur           State
	begun         bool
	before, after State
	seen          map[writtenKey]*writtenSum
	where         []place
}

type writtenKey struct {
	id       ecs.TypeID
	resource bool
}

type writtenSum struct {
	Written
	entities map[ecs.Entity]struct{}
}

// Step runs ticks until the time is up (0: without end), and reports whether all
// have been. The present is back when it returns. Frame goroutine.
func (o *Observation) Step(w ecs.World, app *host.App, budget time.Duration) (done bool, err error) {
	start := time.Now()
	if err := o.aside.begin(w, app); err != nil {
		return true, err
	}
	defer func() { err = errors.Join(err, o.aside.End()) }()
	if !o.aside.Hooked() {
		return true, &refusal.Error{Code: refusal.NotSupported, Message: "this game's systems have no hook: nobody can look before and after one of them",
			Want: "App.Systems that implements host.SystemHooks", Hint: "snapshot_diff between two ticks shows what a whole tick changes", Next: "snapshot_diff"}
	}
	if o.begun {
		err = o.aside.Load(&o.cur)
	}
	o.begun = true
	for err == nil && o.Ran < o.Ticks {
		if err := o.aside.Tick(nil, o.look); err != nil {
			o.Ended = err.Error()
			if o.Ran == 0 && o.Runs == 0 {
				return true, err
			}
			return true, nil
		}
		o.Ran++
		if o.Ran < o.Ticks && budget > 0 && time.Since(start) > budget {
			return false, o.aside.Save(&o.cur)
		}
	}
	return true, err
}

func (o *Observation) look(done, next string) bool {
	if done == o.System && o.aside.Save(&o.after) == nil {
		o.Runs++
		o.compare(o.aside.world.Catalog())
	}
	if next == o.System {
		_ = o.aside.Save(&o.before)
	}
	return true
}

// Written lists what was changed, most values first.
func (o *Observation) Written() []Written {
	list := []Written{}
	for _, s := range o.seen {
		s.Entities = len(s.entities)
		list = append(list, s.Written)
	}
	slices.SortFunc(list, func(a, b Written) int {
		return cmp.Or(cmp.Compare(b.Values+b.Added+b.Removed, a.Values+a.Added+a.Removed), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func (o *Observation) sum(name string, k writtenKey) *writtenSum {
	s := o.seen[k]
	if s == nil {
		if o.seen == nil {
			o.seen = map[writtenKey]*writtenSum{}
		}
		s = &writtenSum{Written: Written{Name: name, Resource: k.resource}, entities: map[ecs.Entity]struct{}{}}
		o.seen[k] = s
	}
	return s
}

// place is where an entity is in an image.
type place struct {
	gen  uint32
	arch int32 // -1: nowhere
	row  int32
}

func locate(dst []place, img *ecs.Image) []place {
	dst = slices.Grow(dst[:0], len(img.Pool.Slots))[:len(img.Pool.Slots)]
	for i := range dst {
		dst[i].arch = -1
	}
	for i := range img.Archetypes {
		for row, e := range img.Archetypes[i].Entities {
			dst[e.ID] = place{e.Gen, int32(i), int32(row)}
		}
	}
	return dst
}

// compare counts the differences of before and after.
func (o *Observation) compare(cat *ecs.Catalog) {
	o.where = locate(o.where, &o.before.Image)
	living := 0
	for i := range o.after.Image.Archetypes {
		b := &o.after.Image.Archetypes[i]
		for row, e := range b.Entities {
			if int(e.ID) >= len(o.where) || o.where[e.ID].arch < 0 || o.where[e.ID].gen != e.Gen {
				o.Spawned++
				continue
			}
			living++
			at := o.where[e.ID]
			o.row(cat, e, &o.before.Image.Archetypes[at.arch], int(at.row), b, row)
		}
	}
	for i := range o.before.Image.Archetypes {
		living -= len(o.before.Image.Archetypes[i].Entities)
	}
	o.Despawn -= living
	for _, r := range o.after.Image.Resources {
		i := slices.IndexFunc(o.before.Image.Resources, func(x ecs.ImageResource) bool { return x.ID == r.ID })
		if i < 0 || !value.Equal(o.before.Image.Resources[i].Value, r.Value) {
			o.sum(cat.Resources[r.ID].Name, writtenKey{r.ID, true}).Values++
		}
	}
}

// row compares one entity, which may have moved between archetypes.
func (o *Observation) row(cat *ecs.Catalog, e ecs.Entity, a *ecs.ImageArchetype, ra int, b *ecs.ImageArchetype, rb int) {
	for k, id := range b.Components {
		j := k // mostly the same archetype
		if j >= len(a.Components) || a.Components[j] != id {
			j = slices.Index(a.Components, id)
		}
		switch {
		case j < 0:
			o.sum(cat.Components[id].Name, writtenKey{id: id}).Added++
		case !sameRow(cat.Components[id].Type, a.Columns[j], ra, b.Columns[k], rb) || !sameTarget(a, b, id):
			s := o.sum(cat.Components[id].Name, writtenKey{id: id})
			s.Values++
			s.entities[e] = struct{}{}
		}
	}
	for _, id := range a.Components {
		if !slices.Contains(b.Components, id) {
			o.sum(cat.Components[id].Name, writtenKey{id: id}).Removed++
		}
	}
}

func sameRow(t *value.Type, a reflect.Value, ra int, b reflect.Value, rb int) bool {
	if t.Size == 0 {
		return true
	}
	if t.PointerFree {
		pa, pb := unsafe.Add(a.UnsafePointer(), uintptr(ra)*t.Size), unsafe.Add(b.UnsafePointer(), uintptr(rb)*t.Size)
		if string(unsafe.Slice((*byte)(pa), t.Size)) == string(unsafe.Slice((*byte)(pb), t.Size)) {
			return true
		}
	}
	return value.Equal(a.Index(ra), b.Index(rb))
}

func sameTarget(a, b *ecs.ImageArchetype, id ecs.TypeID) bool {
	find := func(x *ecs.ImageArchetype) ecs.Entity {
		for _, t := range x.Targets {
			if t.Relation == id {
				return t.Entity
			}
		}
		return ecs.Entity{}
	}
	return find(a) == find(b)
}
