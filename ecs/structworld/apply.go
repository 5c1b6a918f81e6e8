package structworld

import (
	"fmt"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/engine"
)

// Apply implements [ecs.World]. New elements are appended; the order of those
// that stay does not change.
func (w *World) Apply(changes []ecs.Change) (spawned []ecs.Entity, err error) {
	if err := ecs.ValidateChanges(w, changes); err != nil {
		return nil, err
	}
	if err := w.room(changes); err != nil {
		return nil, err
	}
	for i := range changes {
		switch c := &changes[i]; c.Op {
		case ecs.OpSpawn:
			v := c.Values[0]
			k := w.kinds[v.Type]
			for range max(c.Count, 1) {
				e := w.pool.born(k, k.Len())
				k.store.add(e, engine.Own(k.typ, v.Value))
				k.Rows = append(k.Rows, e)
				spawned = append(spawned, e)
			}
			k.place()
		case ecs.OpDespawn:
			s := w.pool.at(c.Entity)
			k, row := s.kind, s.row
			k.store.remove(row)
			k.Rows = append(k.Rows[:row], k.Rows[row+1:]...)
			w.pool.dies(c.Entity)
			k.rowsFrom(row)
			k.place()
		case ecs.OpSet:
			s := w.pool.at(c.Entity)
			for _, v := range c.Values {
				w.set(s.kind, s.row, v)
			}
		}
	}
	return spawned, nil
}

// set writes a value where the game has it. What the adapter keeps in it, the
// element's ID, stays.
func (w *World) set(k *kind, row int, v ecs.Value) {
	k.place()
	k.Cols[0].Value(k.typ.Go, row).Set(engine.Own(k.typ, v.Value))
	k.store.mark(row, k.Rows[row])
}

// room refuses changes after which a container would hold more than it can.
func (w *World) room(changes []ecs.Change) error {
	will := map[*kind]int{}
	for i := range changes {
		switch c := &changes[i]; c.Op {
		case ecs.OpSpawn:
			k := w.kinds[c.Values[0].Type]
			will[k] += max(c.Count, 1)
			if no := k.store.room(k.Len() + will[k]); no != nil {
				no.Message = k.typ.Name + ": " + no.Message
				if len(changes) > 1 {
					no.Message = fmt.Sprintf("change %d of %d (%s): %s", i+1, len(changes), c.Op, no.Message)
				}
				return no
			}
		case ecs.OpDespawn:
			will[w.pool.at(c.Entity).kind]--
		}
	}
	return nil
}
