package archeworld

import (
	"iter"
	"reflect"
	"unsafe"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/mlange-42/arche/ecs"
)

func init() {
	value.RegisterEntityType(reflect.TypeFor[ecs.Entity]())
	value.RegisterMarkerType(reflect.TypeFor[ecs.Relation]())
	value.RegisterOpaqueType(reflect.TypeFor[ecs.World]())
}

// maxTypes is how many component types arche 0.15.3 can work with: the size of
// an archetype's table of columns is kept in 8 bits, so that the 241st type
// makes every new archetype panic. With the build tag tiny it is 64.
const maxTypes = min(240, ecs.MaskTotalBits)

// World is arche's world as the debug server sees it. It implements
// [loupe.World], [loupe.Unlocker] and [loupe.Restorer]. Its methods are called
// on the frame goroutine only.
type World struct {
	ew  *ecs.World
	lay bool // look through the verified layout; false: public interface alone

	types []*value.Type // by TypeID
	ids   []ecs.ID
	rel   []bool
	root  *archNode // tells a world that was replaced under its pointer

	nodes  [][]*chunk // by node and archetype number
	byArch map[*archetype]*chunk
	all    []*chunk // by Chunk.Archetype, in order of discovery

	last engine.Last

	scratch []scratch // by TypeID

	breakRestore func() // tests: fail when the world is half restored
}

var (
	_ loupe.World    = (*World)(nil)
	_ loupe.Unlocker = (*World)(nil)
	_ loupe.Restorer = (*World)(nil)
)

// New makes the adapter of an arche world. Nothing has to be registered; the
// adapter may be made before or after the game's types, and stays valid when
// the game resets the world or replaces it under the same pointer.
func New(w *ecs.World) *World {
	if w == nil {
		panic("archeworld.New: nil world")
	}
	return &World{ew: w, lay: layoutErr == nil, byArch: map[*archetype]*chunk{}}
}

// inner looks through the verified layout.
func (w *World) inner() *world { return (*world)(unsafe.Pointer(w.ew)) }

// Locked reports whether a query is open, or was never closed.
func (w *World) Locked() bool { return w.ew.IsLocked() }

// sync takes note of component types registered since the last call. It
// registers none itself.
func (w *World) sync() {
	n := len(w.types)
	if w.lay {
		in := w.inner()
		var root *archNode
		if len(in.nodePointers) > 0 {
			root = in.nodePointers[0]
		}
		if root != w.root || len(in.registry.IDs) < n {
			*w = World{ew: w.ew, lay: w.lay, root: root, byArch: map[*archetype]*chunk{}}
		}
		if len(in.registry.IDs) == len(w.types) {
			return
		}
	}
	ids := ecs.ComponentIDs(w.ew)
	for _, id := range ids[min(len(w.types), len(ids)):] {
		info, ok := ecs.ComponentInfo(w.ew, id)
		if !ok {
			return
		}
		w.ids = append(w.ids, id)
		w.types = append(w.types, value.TypeOf(info.Type))
		w.rel = append(w.rel, info.IsRelation)
		w.scratch = append(w.scratch, scratch{})
	}
}

// Alive reports whether e lives. arche's own Alive panics for identifiers
// beyond its table and says yes to forged handles of the zero entity and of
// free slots; this one does neither.
func (w *World) Alive(e loupe.Entity) bool {
	now, ok := w.Holder(e.ID)
	return ok && now == e
}

// Holder returns the entity that lives in slot id now.
func (w *World) Holder(id uint32) (loupe.Entity, bool) {
	if id == 0 {
		return loupe.Entity{}, false
	}
	if !w.lay {
		if c, row, ok := engine.FindSlot(w.scanPublic(), id); ok {
			return c.Entity(row), true
		}
		return loupe.Entity{}, false
	}
	in := w.inner()
	if int64(id) >= int64(len(in.entityPool.entities)) || int64(id) >= int64(len(in.entities)) {
		return loupe.Entity{}, false
	}
	e := EntityOf(in.entityPool.entities[id])
	// A free slot holds the number of the next free one and has no archetype.
	return e, e.ID == id && in.entities[id].arch != nil
}

// Row finds an entity's row.
func (w *World) Row(e loupe.Entity) (loupe.Chunk, int, bool) {
	w.sync()
	if c, row, ok := w.row(e); ok {
		return c, row, true
	}
	return nil, 0, false
}

func (w *World) row(e loupe.Entity) (*chunk, int, bool) {
	if !w.Alive(e) {
		return nil, 0, false
	}
	if !w.lay {
		return engine.FindSlot(w.scanPublic(), e.ID)
	}
	at := w.inner().entities[e.ID]
	c := w.byArch[at.arch]
	if c == nil {
		w.walk(func(*archNode, *chunk) bool { return true })
		if c = w.byArch[at.arch]; c == nil {
			return nil, 0, false
		}
	}
	c.refresh()
	return c, int(at.index), true
}

// walk visits every archetype in arche's iteration order, empty and
// deactivated ones included, and numbers those it has not met. The chunks are
// not refreshed.
func (w *World) walk(visit func(*archNode, *chunk) bool) {
	for i, n := range w.inner().nodePointers {
		if !w.walkNode(i, n, func(c *chunk) bool { return visit(n, c) }) {
			return
		}
	}
}

// walkNode visits the archetypes of node number i; false when visit ended it.
func (w *World) walkNode(i int, n *archNode, visit func(*chunk) bool) bool {
	if !n.IsActive {
		return true
	}
	if i >= len(w.nodes) {
		w.nodes = append(w.nodes, make([][]*chunk, i+1-len(w.nodes))...)
	}
	if !n.HasRelation {
		return n.archetype == nil || visit(w.chunkOf(i, 0, n, n.archetype))
	}
	for j := int32(0); j < n.archetypes.len; j++ {
		if !visit(w.chunkOf(i, int(j), n, n.archetypes.at(j))) {
			return false
		}
	}
	return true
}

func (w *World) chunkOf(node, arch int, n *archNode, a *archetype) *chunk {
	list := w.nodes[node]
	if arch >= len(list) { // not always the next: Chunks passes over empty ones
		list = append(list, make([]*chunk, arch+1-len(list))...)
		w.nodes[node] = list
	}
	if list[arch] != nil {
		return list[arch]
	}
	c := &chunk{Chunk: engine.Chunk{ID: len(w.all), Types: w.typesOf(n.Ids), Cols: make([]loupe.Column, len(n.Ids))}, arch: a, mask: n.Mask}
	if n.HasRelation {
		c.Relations = []loupe.Target{{Relation: w.typeOf(n.Relation)}}
	}
	list[arch] = c
	w.all = append(w.all, c)
	w.byArch[a] = c
	return c
}

// Chunks visits the archetypes that have rows and match, in the order of
// arche's own queries. No query is open: the body may open its own, and set
// values, but not change the structure.
func (w *World) Chunks(f loupe.Filter) iter.Seq[loupe.Chunk] {
	return func(yield func(loupe.Chunk) bool) {
		w.sync()
		m, ok := w.match(f)
		if !ok {
			return
		}
		if !w.lay {
			for _, c := range w.scanPublic() {
				if m.node(&c.mask) && m.targets(c.Relations) && !yield(c) {
					return
				}
			}
			return
		}
		in := w.inner()
		for i := 0; i < len(in.nodePointers); i++ {
			n := in.nodePointers[i]
			if !n.IsActive || !m.node(&n.Mask) || m.has && !n.HasRelation {
				continue
			}
			if i >= len(w.nodes) {
				w.nodes = append(w.nodes, make([][]*chunk, i+1-len(w.nodes))...)
			}
			count := n.archetypes.len
			if !n.HasRelation {
				count = 1
			}
			for j := int32(0); j < count; j++ {
				a := n.archetype
				if n.HasRelation {
					a = n.archetypes.at(j)
				}
				if a == nil || a.len == 0 || m.has && a.RelationTarget != m.entity {
					continue
				}
				c := w.chunkOf(i, int(j), n, a)
				c.refresh()
				if !yield(c) {
					return
				}
			}
		}
	}
}

// matcher is a Filter in arche's terms.
type matcher struct {
	with, without ecs.Mask
	exclusive     bool
	has           bool // a target is asked for
	entity        ecs.Entity
}

// match translates f; false when a type it wants is not in this world, so that
// nothing can match.
func (w *World) match(f loupe.Filter) (m matcher, ok bool) {
	for _, id := range f.With {
		if id < 0 || int(id) >= len(w.ids) {
			return m, false
		}
		m.with.Set(w.ids[id], true)
	}
	for _, id := range f.Without {
		if id >= 0 && int(id) < len(w.ids) {
			m.without.Set(w.ids[id], true)
		}
	}
	m.exclusive = f.Exclusive
	if f.Target != nil {
		// An archetype has one relation at most: with that component, it is the one.
		if r := f.Relation; r != nil {
			if *r < 0 || int(*r) >= len(w.ids) || !w.rel[*r] || f.Exclusive && !m.with.Get(w.ids[*r]) {
				return m, false
			}
			m.with.Set(w.ids[*r], true)
		}
		m.has, m.entity = true, engineEntity(*f.Target)
	}
	return m, true
}

func (m *matcher) node(mask *ecs.Mask) bool {
	if m.exclusive && *mask != m.with {
		return false
	}
	return mask.Contains(&m.with) && !mask.ContainsAny(&m.without)
}

func (m *matcher) targets(ts []loupe.Target) bool {
	return !m.has || len(ts) > 0 && ts[0].Entity == EntityOf(m.entity)
}

// Resource returns the value behind a resource: the pointer's target, or a
// copy where the game added the value itself.
func (w *World) Resource(id loupe.TypeID) (reflect.Value, bool) { return w.resources().Value(id) }

func (w *World) resources() engine.Resources[ecs.World, ecs.ResID] {
	return engine.ResourcesOf(w.ew, w.ew.Resources(), ecs.ResourceIDs, ecs.ResourceType)
}

// Unlock releases every lock an interrupted query or listener left behind.
// arche has no call for it: the lock bits are cleared in place, if the layout
// is the verified one; a crash_layout error and no change otherwise.
func (w *World) Unlock() error {
	if !w.lay {
		return noLayout()
	}
	w.inner().locks = lockMask{}
	return nil
}

// engineVersion is arche's version in this build.
var engineVersion = arche.BuildVersion()
