package archeworld

import "github.com/loupe-ecs/loupe/ecs/engine"

// The order in which arche visits relation archetypes is that of their slots
// in their node, and a new one takes the slot freed last. Nodes come into being
// before their archetypes do, and with them their place in the order. So that a
// restored world goes on exactly as the captured one would have, an image notes
// for each node with relations its slots and their free list; for each cached
// filter, whose order is that in which its archetypes came up, that order; and
// which of the image's archetypes are idle: nodes alone. The notes are:
//
//	nodes { first archetype, slots, free, free slots..., used, used slots... }
//	filters { id, count, archetypes... }
//	idle archetypes
//
// each with its number before it, where archetypes are indices into the image,
// so that they survive a world in which the types have other numbers.

type hints struct {
	nodes []nodeHint
	index map[*archetype]uint32
	last  *archNode
	idle  []uint32
}

type nodeHint struct {
	first uint32
	slots uint32
	free  []int32
	used  []uint32
}

// archetype notes the image's archetype number i.
func (h *hints) archetype(n *archNode, c *chunk, i int) {
	h.index[c.arch] = uint32(i)
	if !n.HasRelation {
		return
	}
	if h.last != n {
		h.last = n
		h.node(n, i)
	}
	node := &h.nodes[len(h.nodes)-1]
	node.used = append(node.used, uint32(c.arch.index))
}

// idleNode notes that the image's archetype number i is only a node.
func (h *hints) idleNode(n *archNode, i int) {
	h.idle = append(h.idle, uint32(i))
	if n.HasRelation {
		h.node(n, i)
	}
}

func (h *hints) node(n *archNode, i int) {
	h.nodes = append(h.nodes, nodeHint{first: uint32(i), slots: uint32(n.archetypes.len), free: n.freeIndices})
}

func (h *hints) finish(in *world, out []uint32) []uint32 {
	out = append(out, uint32(len(h.nodes)))
	for _, n := range h.nodes {
		out = append(out, n.first, n.slots, uint32(len(n.free)))
		for _, s := range n.free {
			out = append(out, uint32(s))
		}
		out = append(out, uint32(len(n.used)))
		out = append(out, n.used...)
	}
	out = append(out, uint32(len(in.filterCache.filters)))
	for i := range in.filterCache.filters {
		f := &in.filterCache.filters[i]
		out = engine.HintOrder(out, f.ID, f.Archetypes.pointers, h.index)
	}
	out = append(out, uint32(len(h.idle)))
	return append(out, h.idle...)
}

// parsed hints: nothing in them is trusted.
type parsedHints struct {
	nodes   map[uint32]nodeHint // by first archetype
	filters map[uint32][]uint32 // archetypes by filter ID
	idle    map[uint32]bool
}

func parseHints(in []uint32) (p parsedHints) {
	ok := true
	next := func() uint32 {
		if len(in) == 0 {
			ok = false
			return 0
		}
		v := in[0]
		in = in[1:]
		return v
	}
	list := func() []uint32 {
		n := next()
		if uint64(n) > uint64(len(in)) {
			ok = false
			return nil
		}
		l := in[:n]
		in = in[n:]
		return l
	}
	if len(in) == 0 {
		return p
	}
	p.nodes, p.filters = map[uint32]nodeHint{}, map[uint32][]uint32{}
	for n := next(); n > 0 && ok; n-- {
		h := nodeHint{first: next(), slots: next()}
		for _, s := range list() {
			h.free = append(h.free, int32(s))
		}
		h.used = list()
		if h.sound() {
			p.nodes[h.first] = h
		}
	}
	for n := next(); n > 0 && ok; n-- {
		id := next()
		p.filters[id] = list()
	}
	p.idle = map[uint32]bool{}
	for _, i := range list() {
		p.idle[i] = true
	}
	if !ok {
		return parsedHints{}
	}
	return p
}

// sound: every slot is used or free, once.
func (h *nodeHint) sound() bool {
	if uint64(len(h.free))+uint64(len(h.used)) != uint64(h.slots) {
		return false
	}
	seen := make([]bool, h.slots)
	mark := func(s uint32) bool {
		if s >= h.slots || seen[s] {
			return false
		}
		seen[s] = true
		return true
	}
	for _, s := range h.free {
		if !mark(uint32(s)) {
			return false
		}
	}
	for i, s := range h.used {
		if !mark(s) || i > 0 && h.used[i-1] > s {
			return false
		}
	}
	return true
}
