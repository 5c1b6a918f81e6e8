package donburiworld

import (
	"reflect"
	"unsafe"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/component"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Capture implements [ecs.Restorer].
func (w *World) Capture(img *ecs.Image) error {
	w.sync()
	if !w.lay {
		return noLayout()
	}
	in := w.inner()
	slots := append(img.Pool.Slots[:0], make([]ecs.Entity, in.nextEntityId)...)
	for _, a := range in.archetypes {
		for _, e := range a.entities {
			slots[e.Id()] = EntityOf(e)
		}
	}
	next := uint32(0)
	for _, e := range in.destroyed { // the last one is used first
		slots[e.Id()] = ecs.Entity{ID: next, Gen: e.Version()}
		next = uint32(e.Id())
	}
	to := engine.WriterTo(img, w.types, slots, next, uint32(len(in.destroyed)), 1)
	for i := range in.archetypes {
		to.Add(w.chunkOf(i).rows())
	}
	w.resources.Capture(img)
	return nil
}

// Check implements [ecs.Restorer].
func (w *World) Check(img *ecs.Image) error {
	w.sync()
	if !w.lay {
		return noLayout()
	}
	if err := donburiEngine.Check(w.Catalog(), img); err != nil {
		return err
	}
	if img.Pool.Reserved != 1 {
		return &refusal.Error{Code: refusal.BadSnapshot, Message: "the image's entity table is not donburi's: it must reserve slot 0 and nothing else"}
	}
	for _, s := range img.Pool.Slots[1:] {
		if s.Gen > maxVersion {
			return &refusal.Error{Code: refusal.BadSnapshot, Message: "the image's entity table has a generation that donburi cannot count", Got: s.Gen, Want: maxVersion}
		}
	}
	return nil
}

// Restore implements [ecs.Restorer], in place: entries that the game holds stay
// good, and the values of entities that live now and then are where they were.
// No callback is called.
func (w *World) Restore(img *ecs.Image) error {
	if err := w.Check(img); err != nil {
		return err
	}
	var before ecs.Image
	if err := w.Capture(&before); err != nil {
		return err
	}
	_, err := engine.Exchange(img, &before, w.replace, func() {})
	w.resources.Restore(img)
	return err
}

// rows is what an archetype will hold.
type rows struct {
	archetype int
	entities  []donburi.Entity
	types     []component.IComponentType
	boxes     [][]unsafe.Pointer // by type
}

func (w *World) replace(img *ecs.Image) {
	in := w.inner()
	all := make([]rows, 0, len(img.Archetypes))
	for i := range img.Archetypes {
		if a := &img.Archetypes[i]; len(a.Components) > 0 {
			all = append(all, w.gather(a))
		}
	}
	if w.breakRestore != nil {
		w.breakRestore()
	}
	// Everything is at hand: from here on nothing can fail.
	for i, a := range in.archetypes {
		clear(a.entities)
		a.entities = a.entities[:0]
		for _, t := range a.layout.componentTypes {
			if boxes := in.components.boxes(int(t.Id()), i); boxes != nil {
				clear(boxes)
				in.components.storages[t.Id()].storages[i] = boxes[:0]
			}
		}
		in.components.componentIndices[i] = -1
	}
	w.loadPool(&img.Pool)
	for _, r := range all {
		a := in.archetypes[r.archetype]
		a.entities = append(a.entities, r.entities...)
		in.components.componentIndices[r.archetype] = len(r.entities) - 1
		for k, t := range r.types {
			in.components.put(int(t.Id()), r.archetype, r.boxes[k])
		}
		for row, e := range r.entities {
			*in.entities.LocationMap[e.Id()] = location{r.archetype, row, true}
			in.entries[e.Id()].entity = e
		}
		in.entities.Len += len(r.entities)
	}
	entries.settle(in)
}

// gather makes the rows of an image's archetype: the values that living entities
// have are filled, the others are made.
func (w *World) gather(a *ecs.ImageArchetype) rows {
	in := w.inner()
	r := rows{entities: make([]donburi.Entity, len(a.Entities)), types: make([]component.IComponentType, len(a.Components)), boxes: make([][]unsafe.Pointer, len(a.Components))}
	for k, id := range a.Components {
		r.types[k] = w.comps[id]
	}
	r.archetype = w.archetypeOf(r.types)
	for row, e := range a.Entities {
		r.entities[row] = Entity(e)
	}
	for k, id := range a.Components {
		t := w.types[id]
		values := value.ColumnOf(value.CopyColumn(t, value.ColumnOf(a.Columns[k]), len(a.Entities)))
		r.boxes[k] = make([]unsafe.Pointer, len(a.Entities))
		for row, e := range a.Entities {
			var box unsafe.Pointer
			if i, at, lives := w.find(e.ID); lives && EntityOf(in.archetypes[i].entities[at]) == e {
				if boxes := in.components.boxes(int(r.types[k].Id()), i); at < len(boxes) {
					box = boxes[at]
				}
			}
			if box == nil {
				box = reflect.New(t.Go).UnsafePointer()
			}
			reflect.NewAt(t.Go, box).Elem().Set(values.Value(t.Go, row))
			r.boxes[k][row] = box
		}
	}
	return r
}

// archetypeOf finds an archetype, or makes it: donburi makes one with its first
// entity, which the restore overwrites, and of which nobody is told.
func (w *World) archetypeOf(types []component.IComponentType) int {
	in := w.inner()
	for i, a := range in.archetypes {
		if same(a.layout.componentTypes, types) {
			return i
		}
	}
	told := in.createCallbacks
	in.createCallbacks = nil
	defer func() { in.createCallbacks = told }()
	w.dw.Create(types...)
	w.sync()
	return len(in.archetypes) - 1
}

func same(a, b []component.IComponentType) bool {
	if len(a) != len(b) {
		return false
	}
	for _, x := range a {
		found := false
		for _, y := range b {
			found = found || x == y
		}
		if !found {
			return false
		}
	}
	return true
}

// loadPool takes over the entity table, with nobody in it yet. Locations and
// entries stay the same objects.
func (w *World) loadPool(p *ecs.Pool) {
	in := w.inner()
	for id := len(in.entities.LocationMap); id < len(p.Slots); id++ {
		in.entities.LocationMap = append(in.entities.LocationMap, &location{})
	}
	for id := len(in.entries); id < len(p.Slots); id++ {
		in.entries = append(in.entries, &entry{World: in, id: uint32(id), loc: in.entities.LocationMap[id]})
	}
	for _, at := range in.entities.LocationMap {
		if at != nil {
			at.Valid = false
		}
	}
	in.entities.Len = 0
	in.nextEntityId = uint32(len(p.Slots))
	in.destroyed = make([]donburi.Entity, p.Available, max(int(p.Available), 256))
	next := p.Next
	for i := len(in.destroyed) - 1; i >= 0; i-- {
		in.destroyed[i] = donburi.Entity(next)<<32 | donburi.Entity(p.Slots[next].Gen)
		next = p.Slots[next].ID
	}
}

// put gives a component the boxes of an archetype.
func (c *components) put(id, archetype int, boxes []unsafe.Pointer) {
	for len(c.storages) <= id {
		c.storages = append(c.storages, nil)
	}
	if c.storages[id] == nil {
		c.storages[id] = &storage{storages: make([][]unsafe.Pointer, 256)}
	}
	s := c.storages[id]
	for len(s.storages) <= archetype {
		s.storages = append(s.storages, make([][]unsafe.Pointer, max(len(s.storages), 1))...)
	}
	s.storages[archetype] = append(s.storages[archetype][:0], boxes...)
}
