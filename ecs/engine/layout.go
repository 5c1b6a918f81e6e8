package engine

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Differs is the error for memory that is not laid out as the adapter mirrors
// it.
func (e *Engine) Differs(where, what string) error {
	return &refusal.Error{Code: refusal.CrashLayout,
		Message: fmt.Sprintf("this build's %s is not laid out in memory as version %s: %s differs in %s; nothing was touched", e.Name, e.Version, where, what),
		Hint:    fmt.Sprintf("restart the game, or build it with %s v%s", e.Module, e.Version)}
}

// SameHandle compares a handle with its mirror, whose fields have names of
// their own: by size, and by kind and offset of the fields.
func (e *Engine) SameHandle(mine, theirs reflect.Type) error {
	if mine.Size() != theirs.Size() || mine.NumField() != theirs.NumField() {
		return e.Differs(theirs.String(), "size or fields")
	}
	for i := range mine.NumField() {
		if m, t := mine.Field(i), theirs.Field(i); m.Type.Kind() != t.Type.Kind() || m.Offset != t.Offset {
			return e.Differs(theirs.String()+"."+t.Name, "kind or offset")
		}
	}
	return nil
}

// SameLayout compares an engine's type with the adapter's mirror of it, and all
// types it is made of or points at: every field's name, kind, size and offset.
// The mirrors among opaque stand for types that are only pointed at and are not
// compared. path names the type in the error.
func (e *Engine) SameLayout(mine, theirs reflect.Type, path string, opaque ...reflect.Type) error {
	c := comparison{e: e, seen: map[[2]reflect.Type]bool{}, opaque: opaque}
	return c.same(mine, theirs, path)
}

type comparison struct {
	e      *Engine
	seen   map[[2]reflect.Type]bool
	opaque []reflect.Type
}

func (c *comparison) same(mine, theirs reflect.Type, path string) error {
	pair := [2]reflect.Type{mine, theirs}
	if mine == theirs || c.seen[pair] {
		return nil
	}
	c.seen[pair] = true
	for _, t := range c.opaque {
		if t == mine {
			return nil
		}
	}
	if mine.Kind() != theirs.Kind() || mine.Size() != theirs.Size() {
		return c.e.Differs(path, "kind or size")
	}
	switch mine.Kind() {
	case reflect.Struct:
		return c.fields(mine, theirs, path)
	case reflect.Pointer, reflect.Slice, reflect.Array:
		if mine.Kind() == reflect.Array && mine.Len() != theirs.Len() {
			return c.e.Differs(path, "length")
		}
		return c.same(mine.Elem(), theirs.Elem(), path+"[]")
	case reflect.Map:
		if err := c.same(mine.Key(), theirs.Key(), path+" key"); err != nil {
			return err
		}
		return c.same(mine.Elem(), theirs.Elem(), path+" value")
	case reflect.Interface:
		return c.e.Differs(path, "interface type")
	}
	return nil
}

func (c *comparison) fields(mine, theirs reflect.Type, path string) error {
	if mine.NumField() != theirs.NumField() {
		return c.e.Differs(path, "the number of fields")
	}
	for i := range mine.NumField() {
		m, t := mine.Field(i), theirs.Field(i)
		if m.Name != t.Name || m.Offset != t.Offset {
			return c.e.Differs(path+"."+t.Name, "name or offset")
		}
		if err := c.same(m.Type, t.Type, path+"."+t.Name); err != nil {
			return err
		}
	}
	return nil
}

// Entities views an engine's handles as ours. E is a handle that SameHandle
// found to be laid out as [ecs.Entity].
func Entities[E any](s []E) []ecs.Entity {
	return unsafe.Slice((*ecs.Entity)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
