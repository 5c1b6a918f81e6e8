package arkworld

import (
	loupe "github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
)

// Capture copies the whole world into img: pointer-free columns as one block
// each, the others value by value. Memory that img holds from an earlier
// capture is used again. It needs no unlocked world.
func (w *World) Capture(img *loupe.Image) error {
	w.sync()
	if !w.lay {
		return noLayout()
	}
	s := &w.inner().storage
	to := engine.WriterTo(img, w.types, engine.Entities(s.entityPool.entities), s.entityPool.next, s.entityPool.available, reserved)
	number := make(map[uint32]uint32, len(s.tables))
	for i := range s.archetypes {
		for _, id := range s.archetypes[i].tables.tables {
			number[id] = uint32(to.Len())
			to.Add(&w.chunkOf(id).Chunk)
		}
	}
	// The order of the tables in cached filters is that in which they came up.
	for i := range s.cache.filters {
		f := &s.cache.filters[i]
		img.Hints = engine.HintOrder(img.Hints, f.id, f.tables.tables, number)
	}
	w.resources().Capture(img)
	return nil
}
