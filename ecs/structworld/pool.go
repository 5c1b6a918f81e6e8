package structworld

import "github.com/loupe-ecs/loupe/ecs"

// pool is the table of entities. Slot 0 is nobody's.
type pool struct {
	slots []slot // by identifier
	free  []uint32
	// changes counts births and deaths.
	changes uint64
}

type slot struct {
	gen  uint32
	kind *kind // nil: free
	row  int
}

func (p *pool) born(k *kind, row int) ecs.Entity {
	p.changes++
	if n := len(p.free); n > 0 {
		id := p.free[n-1]
		p.free = p.free[:n-1]
		p.slots[id].kind, p.slots[id].row = k, row
		return ecs.Entity{ID: id, Gen: p.slots[id].gen}
	}
	p.slots = append(p.slots, slot{kind: k, row: row})
	return ecs.Entity{ID: uint32(len(p.slots) - 1)}
}

func (p *pool) dies(e ecs.Entity) {
	p.changes++
	s := &p.slots[e.ID]
	s.kind, s.gen = nil, s.gen+1
	p.free = append(p.free, e.ID)
}

// at is the slot of an entity that lives; nil for any other.
func (p *pool) at(e ecs.Entity) *slot {
	if e.ID == 0 || int64(e.ID) >= int64(len(p.slots)) {
		return nil
	}
	if s := &p.slots[e.ID]; s.kind != nil && s.gen == e.Gen {
		return s
	}
	return nil
}

// image is the table as an image holds it.
func (p *pool) image(slots []ecs.Entity) ecs.Pool {
	img := ecs.Pool{Slots: append(slots[:0], ecs.Entity{}), Available: uint32(len(p.free)), Reserved: 1}
	for id := 1; id < len(p.slots); id++ {
		img.Slots = append(img.Slots, ecs.Entity{ID: uint32(id), Gen: p.slots[id].gen})
	}
	for _, id := range p.free { // each links to the one that was freed before it
		img.Slots[id].ID, img.Next = img.Next, id
	}
	return img
}

// load takes the table of an image, without the rows of the living.
func (p *pool) load(img *ecs.Pool) {
	p.changes++
	p.slots = append(p.slots[:0], slot{})
	for _, e := range img.Slots[1:] {
		p.slots = append(p.slots, slot{gen: e.Gen})
	}
	p.free = make([]uint32, img.Available)
	next := img.Next
	for i := len(p.free) - 1; i >= 0; i-- {
		p.free[i] = next
		next = img.Slots[next].ID
	}
}
