package updates

import (
	"encoding/binary"
	"hash/fnv"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/tools"
)

// entity is one that a client is subscribed to.
type entity struct {
	uri    string
	id     ecs.Entity
	bare   bool // who lives in the slot
	before uint64
}

// maxEntities bounds what is compared around one call.
const maxEntities = 256

// Around gives what is to be done around a call that may change entities that
// somebody is subscribed to; nil: nothing. Any goroutine.
func (u *Updates) Around(spec *tools.Spec) *loop.Bracket {
	if spec.Effect == tools.ReadOnly || spec.OffFrame {
		return nil
	}
	es := u.entities()
	if es == nil {
		return nil
	}
	return &loop.Bracket{
		Before: func(w ecs.World) {
			for i := range es {
				es[i].before = es[i].state(w)
			}
		},
		After: func(w ecs.World) {
			for i := range es {
				if es[i].state(w) != es[i].before {
					u.mu.Lock()
					u.touched = append(u.touched, es[i].uri)
					u.mu.Unlock()
				}
			}
		},
	}
}

func (u *Updates) entities() (out []entity) {
	watched := u.Watched()
	if len(watched) == 0 {
		return nil
	}
	docs := u.Registry
	template := u.uri("entity/{id}")
	for uri := range watched {
		if len(out) == maxEntities {
			break
		}
		if !strings.HasPrefix(uri, strings.TrimSuffix(template, "{id}")) {
			continue
		}
		p, vars, ok := docs.Resource(uri)
		if !ok || p.URI != template {
			continue
		}
		if e, full, err := ecs.ParseEntity(vars["id"]); err == nil {
			out = append(out, entity{uri: uri, id: e, bare: !full})
		}
	}
	return out
}

// state is a hash of an entity's components and relation targets; 0 if it does
// not live. Frame goroutine.
func (e *entity) state(w ecs.World) (sum uint64) {
	defer func() {
		if recover() != nil { // a text of the game's own type
			sum = 1
		}
	}()
	if w == nil {
		return 0
	}
	id := e.id
	if e.bare {
		var ok bool
		if id, ok = w.Holder(id.ID); !ok {
			return 0
		}
	}
	c, row, ok := w.Row(id)
	if !ok {
		return 0
	}
	h := fnv.New64a()
	b := binary.LittleEndian.AppendUint64(nil, uint64(id.ID)<<32|uint64(id.Gen))
	for _, t := range c.Targets() {
		b = binary.LittleEndian.AppendUint32(b, uint32(t.Relation))
		b = binary.LittleEndian.AppendUint64(b, uint64(t.Entity.ID)<<32|uint64(t.Entity.Gen))
	}
	cat := w.Catalog()
	for _, comp := range c.Components() {
		b = binary.LittleEndian.AppendUint32(b, uint32(comp))
		t := cat.Components[comp].Type
		col, ok := c.Column(comp)
		if !ok || t.Size == 0 {
			continue
		}
		v := col.Value(t.Go, row)
		if more, err := value.AppendJSON(b, v, value.EncodeOptions{}); err == nil {
			b = more
		}
	}
	h.Write(b)
	return h.Sum64() | 1
}
