package archeworld

import (
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/stats"
)

// arche never takes a composition back: nodes and archetypes that came up since
// the capture would keep their place in the order of iteration and in cached
// filters. In a world that has just been reset nothing refers to them but arche
// itself, so a restore undoes them.

// idle reports whether the image's archetype i is a node alone.
func (r *restoring) idle(i int) bool {
	return r.hints.idle[uint32(i)] && len(r.img.Archetypes[i].Entities) == 0
}

// listed returns the nodes that the image knows; true for those with archetypes.
func (r *restoring) listed() map[ecs.Mask]bool {
	out := make(map[ecs.Mask]bool, len(r.masks))
	for i, mask := range r.masks {
		out[mask] = out[mask] || !r.idle(i)
	}
	out[ecs.Mask{}] = true // the root, which every entity passes through
	return out
}

// retire takes the archetypes that the image does not have out of their nodes
// and out of cached filters. A node with relations loses all it still has: those
// without a target, which Reset leaves, and which take their slots anew.
func (r *restoring) retire() {
	in := r.w.inner()
	active := r.listed()
	for _, n := range in.nodePointers {
		switch {
		case !n.IsActive:
		case n.HasRelation:
			clear(n.archetypeMap)
			n.freeIndices = n.freeIndices[:0]
			for j := int32(0); j < n.archetypes.len; j++ {
				n.archetypes.at(j).index = -1
				n.freeIndices = append(n.freeIndices, j)
			}
		case !active[n.Mask]:
			n.archetype.index = -1
			n.archetype, n.IsActive = nil, false
		}
	}
	for i := range in.filterCache.filters {
		f := &in.filterCache.filters[i]
		f.Indices = nil
		f.Archetypes.pointers = slices.DeleteFunc(f.Archetypes.pointers, func(a *archetype) bool { return a.index < 0 })
	}
	// The memory of those made last is given back, which with a capture of the
	// same process is all of them.
	for in.archetypes.len > 1 && in.archetypes.at(in.archetypes.len-1).index < 0 {
		in.archetypes.pop()
		in.archetypeData.pop()
	}
	r.dropNodes()
}

// dropNodes removes the nodes made last, up to the first that the image knows.
func (r *restoring) dropNodes() {
	in := r.w.inner()
	listed := r.listed()
	gone := map[*archNode]bool{}
	for in.nodes.len > 1 {
		n := in.nodes.at(in.nodes.len - 1)
		if _, ok := listed[n.Mask]; ok || n.archetype != nil {
			break
		}
		gone[n] = true
		delete(r.spare, n)
		delete(r.nodes, n.Mask)
		in.nodes.pop()
		in.nodeData.pop()
	}
	// arche's statistics go by the number of nodes and keep old figures.
	in.stats = stats.World{}
	if len(gone) == 0 {
		return
	}
	dead := func(n *archNode) bool { return gone[n] }
	in.nodePointers = slices.DeleteFunc(in.nodePointers, dead)
	in.relationNodes = slices.DeleteFunc(in.relationNodes, dead)
	for _, n := range in.nodePointers {
		for i, page := range n.neighbors.chunks {
			for k, to := range page {
				if gone[to] {
					page[k] = nil
					n.neighbors.used.Set(engineID(i*len(page)+k), false)
				}
			}
		}
	}
}

// forgetArchetypes makes the adapter look at arche's archetypes anew.
func (w *World) forgetArchetypes() {
	w.nodes, w.all, w.last.Catalog = nil, nil, nil
	clear(w.byArch)
	w.ew.Stats()
}
