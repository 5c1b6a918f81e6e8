package archeworld

import (
	"maps"
	"math"
	"reflect"
	"runtime"
	"slices"
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/mlange-42/arche/ecs"
)

// Check says whether img can be restored into this world. It changes nothing.
func (w *World) Check(img *loupe.Image) error {
	w.sync()
	if !w.lay {
		return noLayout()
	}
	if err := arche.Check(w.Catalog(), img); err != nil {
		return err
	}
	if img.Pool.Reserved != 1 || img.Pool.Slots[0] != (loupe.Entity{Gen: math.MaxUint32}) {
		return &refusal.Error{Code: refusal.BadSnapshot, Message: "the image's entity table is not arche's: it must reserve slot 0 and nothing else"}
	}
	return nil
}

// Restore makes the world equal to img, in place: the game's filters, mappers,
// listener and resource pointers stay valid. No event is sent. A copy of the
// world is kept meanwhile: should arche panic in spite of all checks, the world
// is put back as it was and the error has code "panic".
func (w *World) Restore(img *loupe.Image) error {
	if err := w.Check(img); err != nil {
		return err
	}
	var before loupe.Image
	if err := w.Capture(&before); err != nil {
		return err
	}
	listener := w.inner().listener
	defer runtime.KeepAlive(w.shadeAll())
	kept := w.resources().Keep() // Reset drops them
	w.ew.SetListener(nil)
	defer w.ew.SetListener(listener)
	_, err := engine.Exchange(img, &before, func(img *loupe.Image) { w.replace(img, kept) }, func() { w.inner().locks = lockMask{} })
	return err
}

// shadeAll keeps the pointees of the rows that Reset clears without a write
// barrier alive (it clears up to 64 rows byte by byte, more with barriers).
func (w *World) shadeAll() []reflect.Value {
	var held []reflect.Value
	w.walk(func(_ *archNode, c *chunk) bool {
		c.refresh()
		for i, id := range c.Types {
			if t, n := w.types[id], c.Len(); !t.PointerFree && n > 0 && n <= 64 && c.Cols[i].Base != nil {
				s := reflect.MakeSlice(reflect.SliceOf(t.Go), n, n)
				reflect.Copy(s, reflect.SliceAt(t.Go, c.Cols[i].Base, n))
				held = append(held, s)
			}
		}
		return true
	})
	return held
}

// restoring is one run of replace.
type restoring struct {
	w     *World
	img   *loupe.Image
	hints parsedHints
	masks []ecs.Mask // by image archetype
	nodes map[ecs.Mask]*archNode
	arch  []*archetype // by image archetype
	hint  map[*archNode]nodeHint
	spare map[*archNode][]int32 // free slots nobody has taken yet
}

// replace empties the world and fills it from img.
//
// The entity table is loaded with every entity free, the free list running
// through them in the order in which the rows are created and then on into the
// image's own free list: so each batch gets the right entities, and what is
// left is the right free list.
func (w *World) replace(img *loupe.Image, kept []any) {
	r := &restoring{w: w, img: img, hints: parseHints(img.Hints), arch: make([]*archetype, len(img.Archetypes)), hint: map[*archNode]nodeHint{}, spare: map[*archNode][]int32{}}
	for i := range img.Archetypes {
		r.masks = append(r.masks, w.mask(img.Archetypes[i].Components))
	}
	w.ew.Reset()
	r.makeNodes()
	r.loadPool()
	for i := range img.Archetypes {
		if len(img.Archetypes[i].Entities) > 0 {
			r.create(i, len(img.Archetypes[i].Entities))
			r.fill(i)
		}
	}
	for i := range img.Archetypes {
		if r.arch[i] == nil && !r.idle(i) {
			r.createEmpty(i)
		}
	}
	if w.breakRestore != nil {
		w.breakRestore()
	}
	r.finish()
	w.resources().Restore(img, kept)
}

func (w *World) mask(types []loupe.TypeID) (m ecs.Mask) {
	for _, id := range types {
		m.Set(w.ids[id], true)
	}
	return m
}

// builder makes entities of the image's archetype i.
func (r *restoring) builder(i int) (b *ecs.Builder, relation bool) {
	w, a := r.w, &r.img.Archetypes[i]
	ids := make([]ecs.ID, len(a.Components))
	rel := -1
	for k, id := range a.Components {
		ids[k] = w.ids[id]
		if w.rel[id] {
			rel = k
		}
	}
	b = ecs.NewBuilder(w.ew, ids...)
	if rel >= 0 {
		b = b.WithRelation(ids[rel])
	}
	return b, rel >= 0
}

func (r *restoring) loadPool() {
	p := &r.img.Pool
	dump := ecs.EntityDump{Entities: make([]ecs.Entity, len(p.Slots))}
	slots := engine.Entities(dump.Entities)
	copy(slots, p.Slots)
	prev := &dump.Next
	rows := 0
	for i := range r.img.Archetypes {
		for _, e := range r.img.Archetypes[i].Entities {
			*prev = e.ID
			prev = &slots[e.ID].ID
		}
		rows += len(r.img.Archetypes[i].Entities)
	}
	*prev = 0
	if int64(p.Next) < int64(len(slots)) {
		*prev = p.Next
	}
	dump.Available = p.Available + uint32(rows)
	r.w.ew.LoadEntities(&dump)
}

// create makes n rows of the image's archetype i.
func (r *restoring) create(i, n int) {
	a := &r.img.Archetypes[i]
	in := r.w.inner()
	b, relation := r.builder(i)
	t := targetOf(a.Targets)
	var slot *ecs.Entity
	var was ecs.Entity
	if relation {
		r.place(i, r.nodes[r.masks[i]], t)
		if !t.IsZero() {
			// A dangling target has to look alive for as long as arche
			// checks it: it compares the generation of the slot.
			slot = &in.entityPool.entities[t.ID]
			was = *slot
			(*entityLayout)(unsafe.Pointer(slot)).gen = t.Gen
		}
	}
	id := in.entityPool.next
	if in.entityPool.available == 0 {
		id = uint32(len(in.entityPool.entities))
	}
	if relation {
		b.NewBatch(n, engineEntity(t))
	} else {
		b.NewBatch(n)
	}
	if slot != nil {
		// The batch may have taken the slot off the free list: only the
		// generation goes back.
		(*entityLayout)(unsafe.Pointer(&in.entityPool.entities[t.ID])).gen = was.Generation()
	}
	r.arch[i] = in.entities[id].arch
}

func (r *restoring) fill(i int) {
	a, arch := &r.img.Archetypes[i], r.arch[i]
	n := len(a.Entities)
	copy(unsafe.Slice((*loupe.Entity)(arch.entityPointer), n), a.Entities)
	for k, id := range a.Components {
		engine.FillColumn(arch.layouts[id].pointer, r.w.types[id], a.Columns[k], n)
	}
}

// createEmpty makes an archetype without rows by way of an entity that comes
// and goes, and takes its traces off the entity table.
func (r *restoring) createEmpty(i int) {
	a := &r.img.Archetypes[i]
	in := r.w.inner()
	if n := r.nodes[r.masks[i]]; n != nil && n.IsActive {
		if !n.HasRelation {
			r.arch[i] = n.archetype
			return
		}
		if arch := n.archetypeMap[engineEntity(targetOf(a.Targets))]; arch != nil {
			r.arch[i] = arch
			return
		}
	}
	if t := targetOf(a.Targets); !t.IsZero() && r.img.Pool.Slots[t.ID] != t {
		return // arche keeps no empty archetype of a dead target
	}
	p := &in.entityPool
	slots, next, available := len(p.entities), p.next, p.available
	id := next
	if available == 0 {
		id = uint32(slots)
	}
	r.create(i, 1)
	r.w.ew.RemoveEntity(p.entities[id])
	p.entities, p.next, p.available = p.entities[:slots], next, available
	if int(id) < slots {
		*(*loupe.Entity)(unsafe.Pointer(&p.entities[id])) = r.img.Pool.Slots[id]
	}
	in.entities = in.entities[:slots]
}

// finish writes what batches leave approximate: the entity table, which
// entities are targets, the free slots of nodes, the order of cached filters.
func (r *restoring) finish() {
	in, p := r.w.inner(), &r.img.Pool
	copy(engine.Entities(in.entityPool.entities), p.Slots)
	in.entityPool.next, in.entityPool.available = p.Next, p.Available
	for i := range r.img.Archetypes {
		if t := targetOf(r.img.Archetypes[i].Targets); !t.IsZero() && p.Slots[t.ID] == t {
			in.targetEntities.data[t.ID/64] |= 1 << (t.ID % 64)
		}
	}
	for n, spare := range r.spare {
		slices.SortFunc(spare, func(a, b int32) int { return int(b - a) }) // the lowest is taken first
		n.freeIndices = spare
	}
	for n, h := range r.hint {
		if n == nil || !n.HasRelation {
			continue
		}
		free := n.freeIndices
		var order []int32
		for _, s := range h.free {
			if k := slices.Index(free, s); k >= 0 {
				order = append(order, s)
				free = slices.Delete(free, k, k+1)
			}
		}
		n.freeIndices = append(free, order...)
	}
	r.orderFilters()
	r.dropNodes() // creating rows has made nodes on the way to theirs
	r.w.forgetArchetypes()
}

// orderFilters puts the archetypes of cached filters in the order of the hints;
// of a filter they do not know, in the order of iteration, as when it would be
// registered now. It also drops arche's index of such a list, which arche makes
// again when needed and does not keep right when an archetype comes back.
func (r *restoring) orderFilters() {
	in := r.w.inner()
	base := make(map[*archetype]int, len(r.arch))
	for i, a := range r.arch {
		base[a] = len(r.arch) + i
	}
	for i := range in.filterCache.filters {
		f := &in.filterCache.filters[i]
		f.Indices = nil
		rank := base
		if order := r.hints.filters[f.ID]; len(order) > 0 {
			rank = maps.Clone(base)
			for k, i := range order {
				if int64(i) < int64(len(r.arch)) {
					rank[r.arch[i]] = k
				}
			}
		}
		slices.SortStableFunc(f.Archetypes.pointers, func(a, b *archetype) int { return rank[a] - rank[b] })
	}
}
