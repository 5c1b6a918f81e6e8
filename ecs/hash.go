package ecs

import "github.com/loupe-ecs/loupe/ecs/value"

// Hash digests all that a world shows: archetypes with rows in iteration order,
// their entities, relation targets and values, and the resources. h is reset; it
// may be used again and again, which saves it from working out types anew. Equal
// worlds of one program have equal sums in every process. Frame goroutine.
func Hash(w World, h *value.Hasher) uint64 {
	h.Reset()
	cat := w.Catalog()
	for c := range w.Chunks(Filter{}) {
		n := c.Len()
		h.Word(uint64(n))
		for row := range n {
			e := c.Entity(row)
			h.Word(uint64(e.ID)<<32 | uint64(e.Gen))
		}
		for _, t := range c.Targets() {
			h.Word(uint64(t.Relation))
			h.Word(uint64(t.Entity.ID)<<32 | uint64(t.Entity.Gen))
		}
		for _, id := range c.Components() {
			h.Word(uint64(id))
			if t := cat.Components[id].Type; t.Size > 0 {
				if col, ok := c.Column(id); ok {
					h.Column(t.Go, col, n)
				}
			}
		}
	}
	for _, r := range cat.Resources {
		v, _ := w.Resource(r.ID)
		h.Value(v)
	}
	return h.Sum()
}
