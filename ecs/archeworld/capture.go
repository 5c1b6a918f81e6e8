package archeworld

import (
	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
)

// Capture copies the whole world into img: pointer-free columns as one block
// each, the others value by value. Every composition arche has a node for is in
// it, those without archetypes too: their nodes hold places in the order of
// iteration. Memory that img holds from an earlier capture is used again. It
// needs no unlocked world.
func (w *World) Capture(img *loupe.Image) error {
	w.sync()
	if !w.lay {
		return noLayout()
	}
	in := w.inner()
	to := engine.WriterTo(img, w.types, engine.Entities(in.entityPool.entities), in.entityPool.next, in.entityPool.available, 1)
	h := hints{index: map[*archetype]uint32{}}
	for at, n := range in.nodePointers {
		before := to.Len()
		w.walkNode(at, n, func(c *chunk) bool {
			if c.arch.index >= 0 {
				c.refresh()
				h.archetype(n, c, to.Len())
				to.Add(&c.Chunk)
			}
			return true
		})
		if to.Len() == before {
			h.idleNode(n, before)
			to.Add(&engine.Chunk{Types: w.typesOf(n.Ids)})
		}
	}
	img.Hints = h.finish(in, img.Hints)
	w.resources().Capture(img)
	return nil
}
