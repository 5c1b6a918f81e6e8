package value

import (
	"reflect"
	"strings"
	"sync"
	"unicode"

	"github.com/loupe-ecs/loupe/ecs/value/layout"
)

// namedTypes keeps the types that components have under names of their own, so
// that one component has one Type whoever asks.
var namedTypes struct {
	sync.Mutex
	byKey map[namedKey]*Type
}

type namedKey struct {
	base *Type
	name string
}

// ComponentOf describes a component whose engine tells components apart by
// something else than their Go types: two may be of one type. It is known by
// name, made a Go identifier where it is none, and described as [TypeOf] does;
// init, if it is valid, is the value that the engine gives a new one. Any
// goroutine.
func ComponentOf(t reflect.Type, name string, init reflect.Value) *Type {
	base := TypeOf(t)
	name = identifier(name)
	if (name == "" || name == base.Name) && !init.IsValid() {
		return base
	}
	namedTypes.Lock()
	defer namedTypes.Unlock()
	key := namedKey{base, name}
	if n := namedTypes.byKey[key]; n != nil && n.def.IsValid() == init.IsValid() && (!init.IsValid() || layout.Equal(n.def, init)) {
		return n
	}
	n := *base
	n.base = base
	if name != "" && name != base.Name {
		n.Name, n.ID = name, base.ID+"("+name+")"
		n.Qualified = name
		if pkg, _, ok := strings.Cut(base.Qualified, "."); ok {
			n.Qualified = pkg + "." + name
		}
	}
	if init.IsValid() {
		n.def = layout.Copy(init)
	}
	n.SchemaID = schemaOf(&n)
	n.guide = sync.OnceValue(func() *Guide { return makeGuide(&n) })
	if namedTypes.byKey == nil {
		namedTypes.byKey = map[namedKey]*Type{}
	}
	namedTypes.byKey[key] = &n
	return &n
}

// Current is t with what was declared since it was made: t itself if nothing
// was. Any goroutine.
func (t *Type) Current() *Type {
	base := TypeOf(t.Go)
	switch {
	case t.base == nil:
		return base
	case t.base == base:
		return t
	}
	init := t.def
	if t.base.def.IsValid() && init.IsValid() && layout.Equal(t.base.def, init) {
		init = reflect.Value{} // it was the declaration's, not the engine's
	}
	return ComponentOf(t.Go, t.Name, init)
}

// identifier makes a name one that can stand in an expression.
func identifier(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, strings.TrimSpace(name))
	if name != "" && unicode.IsDigit([]rune(name)[0]) {
		name = "_" + name
	}
	return name
}
