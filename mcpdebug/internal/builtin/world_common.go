package builtin

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools"
)

// worldTools are the tools that read and change the ECS world.
func worldTools() []*tools.Tool {
	return tools.Together(tools.Spec{Group: "world", NeedsWorld: true},
		statsTool(), worldCheckTool(), componentsInfoTool(),
		queryTool(), infoTool(),
		spawnTool(), setTool(), modifyTool(), removeTool(), despawnTool(),
		archetypesListTool(), archetypesInfoTool(),
		resourcesListTool(), resourcesInfoTool(), resourcesModifyTool(),
	)
}

// entityArg is an entity in an argument: "42v3", [42,3], or a bare slot number
// where the tool only reads.
type entityArg struct {
	entity ecs.Entity
	full   bool
	given  bool
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *entityArg) UnmarshalJSON(b []byte) error {
	*a = entityArg{given: true}
	var text string
	var pair []uint32
	switch {
	case json.Unmarshal(b, &text) == nil:
		if len(text) > 0 && text[0] == '[' && json.Unmarshal([]byte(text), &pair) == nil && len(pair) == 2 {
			a.entity, a.full = ecs.Entity{ID: pair[0], Gen: pair[1]}, true
			return nil
		}
		var err error
		a.entity, a.full, err = ecs.ParseEntity(text)
		return byName(text, err)
	case json.Unmarshal(b, &pair) == nil && len(pair) == 2:
		a.entity, a.full = ecs.Entity{ID: pair[0], Gen: pair[1]}, true
		return nil
	case json.Unmarshal(b, &a.entity.ID) == nil:
		return nil
	}
	return &refusal.Error{Code: refusal.InvalidArguments, Message: "not an entity: " + shorten(string(b), 80), Got: shorten(string(b), 80),
		Want: `the form "42v3" (id v generation)`, Hint: "query lists entities in the form every tool accepts"}
}

// byName tells how entities are found by label, if that seems to be meant.
func byName(text string, err error) error {
	e, ok := err.(*refusal.Error)
	first, _ := utf8.DecodeRuneInString(text)
	if !ok || !unicode.IsLetter(first) {
		return err
	}
	c := *e
	name, _ := json.Marshal(text)
	c.Hint = `an entity is named by its id; query {"name":` + string(name) + `} finds it by its label`
	c.Next = "query"
	return &c
}

// MarshalJSON implements [json.Marshaler].
func (a entityArg) MarshalJSON() ([]byte, error) { return json.Marshal(a.entity.String()) }

// reading gives the entity that a reading tool means: for a bare slot number
// the one that lives there now.
func (a entityArg) reading(w ecs.World) (ecs.Entity, error) {
	if a.full {
		return a.entity, nil
	}
	e, ok := w.Holder(a.entity.ID)
	if !ok {
		return e, &refusal.Error{Code: refusal.UnknownEntity, Message: fmt.Sprintf("no entity lives in slot %d now", a.entity.ID),
			Got: a.entity.ID, Hint: "query lists the living ones", Next: "query"}
	}
	return e, nil
}

// writing refuses a bare slot number: who lives there may have changed since
// the caller looked.
func (a entityArg) writing(name string) error {
	if a.full {
		return nil
	}
	return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%s: a tool that writes wants the whole id, got the bare slot %d", name, a.entity.ID),
		Got: a.entity.ID, Want: `the form "42v3" (id v generation)`, Hint: fmt.Sprintf(`info {"entity":%d} tells who lives there now`, a.entity.ID), Next: "info"}
}

// withEntities advises the ordinary form of entity arguments in the tool's
// input schema; the decoder takes more.
func withEntities[In any](t *tools.Tool) *tools.Tool {
	t.Fields = entityFields(value.ArgsOf(reflect.TypeFor[In]()).Fields)
	t.InputSchema = tools.StructSchema(t.Fields)
	return t
}

func entityFields(fields []*value.Field) []*value.Field {
	out := slices.Clone(fields)
	for i, f := range out {
		g := *f
		switch {
		case f.Go == reflect.TypeFor[entityArg]():
			g.Kind, g.Enum = value.KindEntity, nil
		case f.Elem != nil && f.Elem.Go == reflect.TypeFor[entityArg]():
			elem := *f.Elem
			elem.Kind = value.KindEntity
			g.Elem = &elem
		case f.Go == reflect.TypeFor[*selection]():
			// Its properties are those of query: listed there, checked by the decoder.
			g.Kind, g.Elem = value.KindMap, nil
		default:
			continue
		}
		out[i] = &g
	}
	return out
}

// late is something made from the catalog before the call was queued. The
// world may have got new types, or been replaced, by the time the frame part
// runs: on asks for it again then.
type late[T any] struct {
	cat  *ecs.Catalog
	v    T
	err  error
	make func(*ecs.Catalog) (T, error)
}

// early makes it now. A name that is not known yet may be known to the frame,
// whose catalog is newer; everything else is refused at once.
func early[T any](c *tools.Call, f func(*ecs.Catalog) (T, error)) (late[T], error) {
	if c.Catalog == nil {
		return late[T]{}, noWorld()
	}
	l := late[T]{cat: c.Catalog, make: f}
	l.v, l.err = f(c.Catalog)
	if l.err != nil && !errors.Is(l.err, refusal.UnknownComponent) && !errors.Is(l.err, refusal.NotFound) {
		return l, l.err
	}
	return l, nil
}

func (l late[T]) on(f *tools.Frame) (T, error) {
	cat := f.World.Catalog()
	if cat == l.cat || l.err == nil && cat.Extends(l.cat) {
		return l.v, l.err
	}
	return l.make(cat)
}

// requireComponent refuses an entity that lacks a component, and says what it has.
func requireComponent(cat *ecs.Catalog, c ecs.Chunk, e ecs.Entity, comp *ecs.Component) error {
	if slices.Contains(c.Components(), comp.ID) {
		return nil
	}
	names := componentNames(cat, c.Components())
	has := "no components at all"
	if len(names) > 0 {
		has = joinLimited(names, 20)
	}
	return &refusal.Error{Code: refusal.ComponentMissing, Message: fmt.Sprintf("entity %v has no %s; it has %s", e, comp.Name, has),
		Got: comp.Name, Options: refusal.Nearest(comp.Name, names), Total: len(names), Hint: "set adds a component that is absent", Next: "set"}
}

func joinLimited(names []string, n int) string {
	s := ""
	for i, name := range names {
		if i == n {
			return s + fmt.Sprintf(" and %d more", len(names)-n)
		}
		if i > 0 {
			s += ", "
		}
		s += name
	}
	return s
}

// rowValue is the component of a row, addressable, in place.
func rowValue(c ecs.Chunk, row int, comp *ecs.Component) (reflect.Value, bool) {
	base, stride, ok := c.Column(comp.ID)
	if !ok {
		if slices.Contains(c.Components(), comp.ID) { // a tag without memory
			return reflect.New(comp.Type.Go).Elem(), true
		}
		return reflect.Value{}, false
	}
	return reflect.NewAt(comp.Type.Go, unsafe.Add(base, uintptr(row)*stride)).Elem(), true
}

// entityCopy is an entity taken out of the world on the frame.
type entityCopy struct {
	entity  ecs.Entity
	name    string
	cat     *ecs.Catalog
	comps   []ecs.TypeID
	targets []ecs.Target
	values  []reflect.Value // by comps; empty if no values are wanted
}

// takeRow copies a row out. want limits the values to some components; nil
// takes all.
func takeRow(cat *ecs.Catalog, c ecs.Chunk, row int, values bool, want []ecs.TypeID) entityCopy {
	out := entityCopy{entity: c.Entity(row), name: ecs.LabelOf(cat, c, row), cat: cat, comps: slices.Clone(c.Components()), targets: slices.Clone(c.Targets())}
	if !values {
		return out
	}
	out.values = make([]reflect.Value, len(out.comps))
	for i, id := range out.comps {
		if want != nil && !slices.Contains(want, id) {
			continue
		}
		if v, ok := rowValue(c, row, cat.Components[id]); ok {
			out.values[i] = value.Copy(v)
		}
	}
	return out
}

// entityRow is an entity in an answer.
type entityRow struct {
	Entity     string                     `json:"entity" jsonschema:"the entity: id v generation"`
	Name       string                     `json:"name,omitempty" jsonschema:"its label, where one of its components gives one"`
	Components []string                   `json:"components" jsonschema:"names of all its components"`
	Relations  map[string]ecs.Entity      `json:"relations,omitempty" jsonschema:"relation targets by relation; null for none"`
	Values     map[string]json.RawMessage `json:"values,omitempty" jsonschema:"component values, or with select the values at the selected paths"`
	Errors     map[string]string          `json:"errors,omitempty" jsonschema:"why a value is missing, by component or path"`
}

// row encodes the copy; off the frame.
func (e *entityCopy) row(o value.EncodeOptions) entityRow {
	r := entityRow{Entity: e.entity.String(), Name: e.name, Components: componentNames(e.cat, e.comps), Relations: relationsOf(e.cat, e.targets)}
	for i, v := range e.values {
		if v.IsValid() {
			r.put(e.cat.Components[e.comps[i]].Name, v, o)
		}
	}
	return r
}

// relationsOf names the relations and their targets; nil without.
func relationsOf(cat *ecs.Catalog, targets []ecs.Target) map[string]ecs.Entity {
	if len(targets) == 0 {
		return nil
	}
	m := make(map[string]ecs.Entity, len(targets))
	for _, t := range targets {
		m[cat.Components[t.Relation].Name] = t.Entity
	}
	return m
}

// put encodes one value; a value that cannot be encoded costs no other one.
func (r *entityRow) put(key string, v reflect.Value, o value.EncodeOptions) {
	b, err := value.AppendJSON(nil, v, o)
	r.keep(key, b, err)
}

// putAt is put for the value at a path, whose labels it shows.
func (r *entityRow) putAt(key string, p *value.Path, v reflect.Value, o value.EncodeOptions) {
	b, err := p.AppendJSON(nil, v, o)
	r.keep(key, b, err)
}

func (r *entityRow) keep(key string, b []byte, err error) {
	if err != nil {
		r.fail(key, err.Error())
		return
	}
	if r.Values == nil {
		r.Values = map[string]json.RawMessage{}
	}
	r.Values[key] = b
}

func (r *entityRow) fail(key, why string) {
	if r.Errors == nil {
		r.Errors = map[string]string{}
	}
	r.Errors[key] = why
}

// shrink drops the largest values of a row until it fits: the one row that a
// page must hold however large the game's data are.
func (r *entityRow) shrink(maxBytes int) {
	size := 200
	for k, v := range r.Values {
		size += len(k) + len(v) + 4
	}
	for size > maxBytes && len(r.Values) > 0 {
		largest := ""
		for k, v := range r.Values {
			if largest == "" || len(v) > len(r.Values[largest]) || len(v) == len(r.Values[largest]) && k < largest {
				largest = k
			}
		}
		size -= len(r.Values[largest])
		r.fail(largest, tooLargeText(largest, len(r.Values[largest])))
		delete(r.Values, largest)
	}
}

func tooLargeText(name string, n int) string {
	return fmt.Sprintf("left out: %d bytes of JSON; ask for a part of %s with a path, or raise maxBytes", n, name)
}

// safely runs code of the game (labels, computed values) that may panic.
func safely(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return f()
}
