package archeworld

import (
	"slices"

	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/mlange-42/arche/ecs"
)

// maxNewSlots is for how many slots in a node the hints are believed when
// slots have to be made: each costs the memory of an empty archetype.
const maxNewSlots = 4096

// makeNodes creates what arche lacks of the archetypes' nodes, in the image's
// order, and of their slots for relation archetypes. A node comes into being
// with the first entity of its composition, a slot with the first relation to
// a target while no other slot is free.
func (r *restoring) makeNodes() {
	w, in := r.w, r.w.inner()
	r.nodes = make(map[ecs.Mask]*archNode, len(in.nodePointers))
	note := func() {
		for _, n := range in.nodePointers {
			r.nodes[n.Mask] = n
		}
	}
	note()
	var targets []ecs.Entity
	visit := func(b *ecs.Builder, relation bool) {
		var e ecs.Entity
		if relation {
			targets = append(targets, w.ew.NewEntity())
			e = b.New(targets[len(targets)-1])
		} else {
			e = b.New()
		}
		w.ew.RemoveEntity(e)
	}
	for i := range r.img.Archetypes {
		b, mask, relation := r.builder(&r.img.Archetypes[i])
		if n := r.nodes[mask]; n == nil || !n.IsActive {
			visit(b, relation)
			note()
		}
		n := r.nodes[mask]
		for h := r.hints.nodes[uint32(i)]; relation && h.slots <= maxNewSlots && int64(n.archetypes.len) < int64(h.slots); {
			n.freeIndices = nil
			visit(b, true)
		}
	}
	for _, t := range targets {
		w.ew.RemoveEntity(t) // frees the slots
	}
	w.ew.Reset()
	r.orderNodes()
	for first, h := range r.hints.nodes {
		if int64(first) < int64(len(r.img.Archetypes)) {
			_, mask, _ := r.builder(&r.img.Archetypes[first])
			r.hint[r.nodes[mask]] = h
		}
	}
	for _, n := range in.nodePointers {
		if !n.HasRelation || !n.IsActive {
			continue
		}
		for j := int32(0); j < n.archetypes.len; j++ {
			if n.archetypes.at(j).index < 0 {
				r.spare[n] = append(r.spare[n], j)
			}
		}
	}
}

// orderNodes puts the image's nodes in its order, each in a place that one of
// them has now. In a world that was captured itself they are in it already.
func (r *restoring) orderNodes() {
	in := r.w.inner()
	var order []*archNode
	known := map[*archNode]bool{}
	for i := range r.img.Archetypes {
		_, mask, _ := r.builder(&r.img.Archetypes[i])
		if n := r.nodes[mask]; !known[n] {
			known[n] = true
			order = append(order, n)
		}
	}
	moved := false
	for i, n := range in.nodePointers {
		if known[n] {
			moved = moved || n != order[0]
			in.nodePointers[i], order = order[0], order[1:]
		}
	}
	if moved {
		r.w.nodes = nil
	}
}

// place chooses the slot that a relation archetype will take in its node, by
// leaving arche that one as the only free one, or none to make it append.
func (r *restoring) place(i int, n *archNode, t loupe.Entity) {
	if n == nil || !n.IsActive {
		return
	}
	if _, ok := n.archetypeMap[engineEntity(t)]; ok {
		return
	}
	n.freeIndices = nil
	spare := r.spare[n]
	if len(spare) == 0 {
		return
	}
	want, exact := r.wanted(i, n)
	k := slices.Index(spare, want)
	if !exact || k < 0 {
		// The first free slot behind those in use.
		behind := int32(-1)
		if i > 0 && r.arch[i-1] != nil && r.arch[i-1].node == n {
			behind = r.arch[i-1].index
		}
		if k = slices.IndexFunc(spare, func(s int32) bool { return s > behind }); k < 0 {
			return
		}
	}
	n.freeIndices = []int32{spare[k]}
	r.spare[n] = slices.Delete(spare, k, k+1)
}

// wanted is the slot that the hints name, if the node has as many slots as
// they speak of.
func (r *restoring) wanted(i int, n *archNode) (int32, bool) {
	h, ok := r.hint[n]
	k := int64(i) - int64(h.first)
	if !ok || k < 0 || k >= int64(len(h.used)) || int64(h.slots) > int64(n.archetypes.len) {
		return 0, false
	}
	return int32(h.used[k]), true
}
