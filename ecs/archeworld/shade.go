package archeworld

import "reflect"

// scratch keeps what a pending change may move alive.
//
// arche 0.15.3 moves and clears rows byte by byte, behind the back of the
// garbage collector's write barrier. While the collector marks, a pointer that
// is moved from a part it has yet to visit into one it has visited is lost,
// and what it points at is freed under the game. Copying the value first, by
// typed assignment, into memory the collector knows marks the pointee, and the
// copy stays reachable until the change is over.
type scratch struct {
	row, last reflect.Value // addressable, of the component's type
}

// shade keeps alive everything that the removal of a row from its archetype
// can displace: the row, and the archetype's last row, which fills the gap.
func (w *World) shade(c *chunk, row int) {
	for i, id := range c.Types {
		t := w.types[id]
		if t.PointerFree || c.Cols[i].Base == nil {
			continue
		}
		s := &w.scratch[id]
		if !s.row.IsValid() {
			s.row, s.last = reflect.New(t.Go).Elem(), reflect.New(t.Go).Elem()
		}
		s.row.Set(c.Cols[i].Value(t.Go, row))
		if last := c.Len() - 1; row != last {
			s.last.Set(c.Cols[i].Value(t.Go, last))
		}
	}
}

// unshade lets go of what shade kept, so that the scratch does not hold a
// despawned entity's memory.
func (w *World) unshade(c *chunk) {
	for _, id := range c.Types {
		if s := &w.scratch[id]; s.row.IsValid() {
			s.row.SetZero()
			s.last.SetZero()
		}
	}
}
