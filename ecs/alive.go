package ecs

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// CheckAlive refuses an entity that does not live (entity_dead) or never did
// (unknown_entity), and says who has its slot. Frame goroutine.
func CheckAlive(w World, e Entity) error {
	if w.Alive(e) {
		return nil
	}
	return notAlive(w, e)
}

// notAlive tells an entity that lived from one that never did.
func notAlive(w World, e Entity) *refusal.Error {
	err := &refusal.Error{Code: refusal.EntityDead, Message: fmt.Sprintf("entity %v is dead", e), Got: e.String(), Next: "query"}
	holder, held := w.Holder(e.ID)
	switch {
	case held && holder.Gen < e.Gen || e.IsZero() || !held && !w.Catalog().Entities.Used(e.ID):
		err.Code, err.Message = refusal.UnknownEntity, fmt.Sprintf("entity %v never lived in this world", e)
	case held:
		err.Message += fmt.Sprintf("; slot %d is %v's now", e.ID, holder)
		err.Hint = fmt.Sprintf("if you mean the present holder, say %q", holder.String())
	}
	return err
}

// CheckEntities refuses a value in which some entity does not live, wherever in
// it that entity is: the game hands it to its engine one day, and an engine need
// not survive an id that it never gave out. The zero entity means none. Fields
// whose tag says dangling may hold entities that are dead, but none that never
// lived. v is what is to be written, named name in the refusal. Frame
// goroutine.
func CheckEntities(w World, v reflect.Value, name string) error {
	if !v.IsValid() || !value.LayoutOf(v.Type()).Entities {
		return nil
	}
	if err := checkEntities(w, value.Addressable(v), name, w.Alive); err != nil {
		return err
	}
	return nil
}

// CheckWrite refuses the write of a leaf, of a component or resource called
// name, if some entity in it, or among the keys of maps on the way, does not
// live. Frame goroutine.
func CheckWrite(w World, name string, p *value.Path, leaf reflect.Value) error {
	dangling := p.Field != nil && p.Field.Dangling
	check := func(v reflect.Value, name string) error {
		err := CheckEntities(w, v, name)
		if dangling && errors.Is(err, refusal.EntityDead) {
			return nil
		}
		return err
	}
	for _, k := range p.Keys() {
		if err := check(k, name); err != nil {
			return err
		}
	}
	switch {
	case p.Text == "":
	case p.Text[0] == '[':
		name += p.Text
	default:
		name += "." + p.Text
	}
	return check(leaf, name)
}

func checkEntities(w World, v reflect.Value, name string, alive func(Entity) bool) (err *refusal.Error) {
	l := value.LayoutOf(v.Type())
	l.EachEntity(unsafe.Pointer(v.UnsafeAddr()), func(at *value.EntityAt) bool {
		if at.Entity.IsZero() || alive(at.Entity) {
			return true
		}
		no := notAlive(w, at.Entity)
		if at.Dangling && no.Code == refusal.EntityDead {
			return true
		}
		where := at.Path()
		if where == "" || where[0] == '[' || name == "" {
			where = name + where
		} else {
			where = name + "." + where
		}
		if where != "" {
			no.Message = where + ": " + no.Message
		}
		no.Want = "an entity that lives, or null"
		err = no
		return false
	})
	return err
}
