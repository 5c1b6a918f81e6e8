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
	target := func() ecs.Entity {
		targets = append(targets, w.ew.NewEntity())
		return targets[len(targets)-1]
	}
	for i := range r.img.Archetypes {
		if r.nodes[r.masks[i]] == nil {
			w.ew.RemoveEntity(r.reach(i, target))
			note()
		}
		n := r.nodes[r.masks[i]]
		b, relation := r.builder(i)
		for h := r.hints.nodes[uint32(i)]; relation && h.slots <= maxNewSlots && int64(n.archetypes.len) < int64(h.slots); {
			n.freeIndices = nil
			w.ew.RemoveEntity(b.New(target()))
		}
	}
	for _, t := range targets {
		w.ew.RemoveEntity(t) // frees the slots
	}
	w.ew.Reset()
	r.retire()
	r.orderNodes()
	for first, h := range r.hints.nodes {
		if int64(first) < int64(len(r.img.Archetypes)) {
			r.hint[r.nodes[r.masks[first]]] = h
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

// reach makes an entity of the image's archetype i, whose node does not exist.
// arche makes nodes for every step on the way from one composition to another:
// so the entity takes the way that the image's own nodes once came about by,
// each a step away from an earlier one.
func (r *restoring) reach(i int, target func() ecs.Entity) ecs.Entity {
	for j := range i {
		step := r.masks[j].Xor(&r.masks[i])
		if step.TotalBitsSet() != 1 {
			continue
		}
		e := r.reach(j, target)
		for _, id := range r.w.ids {
			switch {
			case !step.Get(id):
			case r.masks[i].Get(id):
				r.w.ew.Add(e, id)
			default:
				r.w.ew.Remove(e, id)
			}
		}
		return e
	}
	b, relation := r.builder(i)
	if relation {
		return b.New(target())
	}
	return b.New()
}

// orderNodes puts the image's nodes in its order and before all others, but
// for the root, which is arche's first. The others are younger than the image,
// or of another process.
func (r *restoring) orderNodes() {
	in := r.w.inner()
	order := make([]*archNode, 0, len(in.nodePointers))
	known := map[*archNode]bool{}
	add := func(n *archNode) {
		if !known[n] {
			known[n] = true
			order = append(order, n)
		}
	}
	add(in.nodePointers[0])
	for _, mask := range r.masks {
		add(r.nodes[mask])
	}
	for _, n := range in.nodePointers {
		add(n)
	}
	copy(in.nodePointers, order)
	copy(in.relationNodes, order)
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
