package arguments

import (
	"fmt"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// misplaced tells of an unknown argument where it belongs, if one of the
// arguments is an object that has a field of that name.
func misplaced(t *value.Type, err error) error {
	e, ok := err.(*refusal.Error)
	if !ok || e.Want != "a real argument" || e.Hint != "" {
		return err
	}
	for _, f := range t.Fields {
		inner := f
		if inner.Kind == value.KindPointer && inner.Elem != nil {
			inner = inner.Elem
		}
		if inner.Kind != value.KindStruct || f.Hidden {
			continue
		}
		for _, g := range inner.Fields {
			if g.Name == e.Got {
				c := *e
				c.Hint = fmt.Sprintf(`%s belongs into %s: {%q:{%q:...}}`, g.Name, f.Name, f.Name, g.Name)
				return &c
			}
		}
	}
	return err
}
