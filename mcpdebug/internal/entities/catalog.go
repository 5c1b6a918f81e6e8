package entities

import (
	"errors"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
)

// FromCatalog is something that was made of the Catalog before the call was
// queued. The world may have got new types, or been replaced, by the time the
// frame part runs: on makes it again then.
type FromCatalog[T any] struct {
	cat  *ecs.Catalog
	v    T
	err  error
	make func(*ecs.Catalog) (T, error)
}

// Make makes it now. A name that is not known yet may be known to the frame,
// whose catalog is newer; everything else is refused at once.
func Make[T any](c *tools.Call, f func(*ecs.Catalog) (T, error)) (FromCatalog[T], error) {
	if c.Catalog == nil {
		return FromCatalog[T]{}, NoWorld()
	}
	l := FromCatalog[T]{cat: c.Catalog, make: f}
	l.v, l.err = f(c.Catalog)
	if l.err != nil && !errors.Is(l.err, refusal.UnknownComponent) && !errors.Is(l.err, refusal.NotFound) {
		return l, l.err
	}
	return l, nil
}

func (l FromCatalog[T]) On(f *tools.Frame) (T, error) {
	cat := f.World.Catalog()
	if cat == l.cat || l.err == nil && cat.Extends(l.cat) {
		return l.v, l.err
	}
	return l.make(cat)
}
