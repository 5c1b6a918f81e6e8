package sandbox

import (
	"errors"

	lua "github.com/yuin/gopher-lua"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// push adds a structural change to the buffer.
func (w *worldState) push(L *lua.LState, o op) {
	if w.r.ecs(L).Locked() {
		w.r.Refuse(L, &refusal.Error{Code: refusal.WorldLocked, Message: "the world is locked: entities and components cannot be added or removed now",
			Hint: "field writes work; clear_crash with unlock=true releases a lock that a panic left behind"})
	}
	w.ops = append(w.ops, o)
}

// changes turns the buffer into what Apply takes.
func (w *worldState) changes() (list []ecs.Change, spawns []*spawned) {
	for i := range w.ops {
		o := &w.ops[i]
		switch o.kind {
		case ecs.OpSpawn:
			if o.spawned.dead {
				continue
			}
			c := ecs.Change{Op: ecs.OpSpawn, Count: 1, Targets: o.spawned.targets}
			for _, id := range o.spawned.order {
				if v, ok := o.spawned.values[id]; ok {
					c.Values = append(c.Values, ecs.Value{Type: id, Value: v})
				}
			}
			list = append(list, c)
			spawns = append(spawns, o.spawned)
		case ecs.OpDespawn:
			list = append(list, ecs.Change{Op: ecs.OpDespawn, Entity: o.entity})
		case ecs.OpAdd:
			list = append(list, ecs.Change{Op: ecs.OpAdd, Entity: o.entity, Values: []ecs.Value{{Type: o.id, Value: o.value}}, Targets: o.targets})
		case ecs.OpRemove:
			list = append(list, ecs.Change{Op: ecs.OpRemove, Entity: o.entity, Types: []ecs.TypeID{o.id}})
		case ecs.OpRetarget:
			list = append(list, ecs.Change{Op: ecs.OpRetarget, Entity: o.entity, Targets: o.targets})
		}
	}
	return list, spawns
}

// commit applies the buffer and makes everything so far permanent.
func (w *worldState) commit() error {
	if list, spawns := w.changes(); len(list) > 0 {
		made, err := w.r.env.World.Apply(list)
		if err != nil {
			if errors.Is(err, refusal.Panicked) {
				// A listener of the game panicked midway: rows have moved, the
				// addresses in the log are no longer good.
				w.undo, w.wide = nil, nil
			}
			w.rollback()
			return err
		}
		for i, s := range spawns {
			if i < len(made) {
				s.entity = made[i]
			}
		}
		w.moved()
	}
	w.committed = w.committed.plus(w.pending)
	w.pending = Changes{}
	w.forget()
	return nil
}

// moved notes that rows may be elsewhere now.
func (w *worldState) moved() {
	w.epoch = nextEpoch()
	w.cat = nil
	w.comps = nil
	w.sites, w.last, w.lastS = nil, nil, nil
}
