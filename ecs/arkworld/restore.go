package arkworld

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/mlange-42/ark/ecs"
)

// Check says whether img can be restored into this world. It changes nothing.
func (w *World) Check(img *loupe.Image) error {
	w.sync()
	if !w.lay {
		return noLayout()
	}
	if err := ark.Check(w.Catalog(), img); err != nil {
		return err
	}
	if img.Pool.Reserved != reserved || img.Pool.Slots[0] != (loupe.Entity{ID: 0, Gen: math.MaxUint32}) || img.Pool.Slots[1] != (loupe.Entity{ID: 1, Gen: math.MaxUint32}) {
		return &refusal.Error{Code: refusal.BadSnapshot, Message: "the image's entity table is not Ark's: it must reserve slots 0 and 1 and nothing else"}
	}
	return nil
}

// Restore makes the world equal to img, in place: the game's filters, cached
// or not, mappers, observers and resource pointers stay valid. No event is
// sent. A copy of the world is kept meanwhile: should Ark panic in spite of all
// checks, the world is put back as it was and the error has code "panic".
func (w *World) Restore(img *loupe.Image) error {
	if err := w.Check(img); err != nil {
		return err
	}
	var before loupe.Image
	if err := w.Capture(&before); err != nil {
		return err
	}
	kept := w.resources().Keep()
	// Ark's Reset unregisters filters and observers. They sit the restore out
	// in a world of their own, whose empty ones are used meanwhile.
	aside := ecs.NewWorld(1)
	s, spare := &w.inner().storage, &(*world)(unsafe.Pointer(aside)).storage
	swap := func() {
		s.cache, spare.cache = spare.cache, s.cache
		s.observers, spare.observers = spare.observers, s.observers
	}
	swap()
	now, err := engine.Exchange(img, &before, func(img *loupe.Image) { w.replace(img, kept) }, func() {
		_ = w.Unlock() // cannot fail with the layout verified
	})
	swap()
	if now != nil {
		w.fillFilters(now)
	}
	return err
}

// replace empties the world and fills it from img: the entity table is loaded
// as it is, tables are brought into being by an entity that comes and goes,
// and then given their rows.
func (w *World) replace(img *loupe.Image, kept []any) {
	s := &w.inner().storage
	for i := range s.tables {
		empty(&s.tables[i])
	}
	w.ew.Reset()
	dump := ecs.EntityDump{Entities: make([]ecs.Entity, len(img.Pool.Slots)), Next: img.Pool.Next, Available: img.Pool.Available}
	copy(engine.Entities(dump.Entities), img.Pool.Slots)
	w.ew.Unsafe().LoadEntities(&dump)
	for i := range s.entities {
		s.entities[i].table = noTable
	}
	for i := range img.Archetypes {
		a := &img.Archetypes[i]
		id := w.makeTable(a)
		w.fill(id, a)
		if w.breakRestore != nil {
			w.breakRestore()
		}
	}
	for i := range img.Archetypes {
		for _, t := range img.Archetypes[i].Targets {
			s.isTarget[t.Entity.ID] = true
		}
	}
	w.resources().Restore(img, kept)
}

// makeTable finds or makes the table of a composition with its targets. The
// entity it takes is a new slot behind all others, which is cut off again.
func (w *World) makeTable(a *loupe.ImageArchetype) uint32 {
	s := &w.inner().storage
	c := loupe.Change{Targets: a.Targets}
	for _, id := range a.Components {
		c.Values = append(c.Values, loupe.Value{Type: id})
	}
	ids, rels := w.relations(&c)
	n, available := len(s.entityPool.entities), s.entityPool.available
	s.entityPool.available = 0
	e := w.ew.Unsafe().NewEntityRel(ids, rels...)
	id := s.entities[e.ID()].table
	s.entityPool.entities, s.entityPool.available = s.entityPool.entities[:n], available
	s.entities, s.isTarget = s.entities[:n], s.isTarget[:n]
	return id
}

// fill gives a table exactly the image's rows.
func (w *World) fill(id uint32, a *loupe.ImageArchetype) {
	s := &w.inner().storage
	t := &s.tables[id]
	n := uint32(len(a.Entities))
	if t.cap < n {
		grow(t, n)
	}
	t.len = n
	if n == 0 {
		for i := range t.columns { // the row of the entity that came and went
			if c := &t.columns[i]; c.itemSize > 0 {
				at(c.elemType, c.pointer).SetZero()
			}
		}
		return
	}
	copy(unsafe.Slice((*loupe.Entity)(t.entities.pointer), n), a.Entities)
	for row, e := range a.Entities {
		s.entities[e.ID] = entityIndex{table: id, row: uint32(row)}
	}
	for k, comp := range a.Components {
		engine.FillColumn(t.components[w.ids[comp].Index()].pointer, w.types[comp], a.Columns[k], int(n))
	}
}

// fillFilters lists the tables of cached filters anew: in the order of the
// hints, then in that of iteration.
func (w *World) fillFilters(img *loupe.Image) {
	s := &w.inner().storage
	if len(s.cache.filters) == 0 {
		return
	}
	listed := make([]uint32, 0, len(img.Archetypes))
	for i := range s.archetypes {
		listed = append(listed, s.archetypes[i].tables.tables...)
	}
	order := map[uint32][]uint32{}
	for h := img.Hints; len(h) >= 2 && int64(h[1]) <= int64(len(h)-2); h = h[2+h[1]:] {
		order[h[0]] = h[2 : 2+h[1]]
	}
	position := w.positions(img)
	for i := range s.cache.filters {
		f := &s.cache.filters[i]
		rank := map[uint32]int{}
		for k, at := range order[f.id] {
			if id, ok := position[at]; ok {
				rank[id] = k
			}
		}
		f.tables = tableIDs{indices: map[uint32]uint32{}}
		for _, id := range listed {
			if f.matches(s, &s.tables[id]) {
				f.tables.tables = append(f.tables.tables, id)
			}
		}
		last := len(order[f.id])
		place := func(id uint32) int {
			if k, ok := rank[id]; ok {
				return k
			}
			return last
		}
		slices.SortStableFunc(f.tables.tables, func(a, b uint32) int { return place(a) - place(b) })
		for k, id := range f.tables.tables {
			f.tables.indices[id] = uint32(k)
		}
	}
}

// positions maps archetypes of the image to tables.
func (w *World) positions(img *loupe.Image) map[uint32]uint32 {
	s := &w.inner().storage
	tables := map[string]uint32{}
	for i := range s.archetypes {
		for _, id := range s.archetypes[i].tables.tables {
			c := w.chunkOf(id)
			tables[key(c.Types, c.Relations)] = id
		}
	}
	at := make(map[uint32]uint32, len(img.Archetypes))
	for i := range img.Archetypes {
		if id, ok := tables[key(img.Archetypes[i].Components, img.Archetypes[i].Targets)]; ok {
			at[uint32(i)] = id
		}
	}
	return at
}

func key(comps []loupe.TypeID, targets []loupe.Target) string {
	targets = slices.DeleteFunc(slices.Clone(targets), func(t loupe.Target) bool { return t.Entity.IsZero() })
	slices.SortFunc(targets, func(a, b loupe.Target) int { return int(a.Relation - b.Relation) })
	return fmt.Sprint(slices.Sorted(slices.Values(comps)), targets)
}

// matches is what Ark asks of a table before it lists it.
func (f *cacheEntry) matches(s *storage, t *table) bool {
	have, with, without := s.archetypes[t.archetype].mask.mask(), f.filter.mask.mask(), f.filter.without.mask()
	if !have.contains(&with) || f.filter.hasWithout && have.overlaps(&without) {
		return false
	}
	if len(t.relationIDs) == 0 {
		return true
	}
	for _, r := range f.relations {
		if c := t.components[r.component.Index()]; c == nil || c.target != r.target {
			return false
		}
	}
	return true
}
