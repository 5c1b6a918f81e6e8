package entities

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/schema"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/tools"
)

// Arg is an entity in an argument: "42v3", [42,3], or a bare slot number
// where the tool only reads.
type Arg struct {
	Entity ecs.Entity
	Full   bool
	Given  bool
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *Arg) UnmarshalJSON(b []byte) error {
	*a = Arg{Given: true}
	var text string
	var pair []uint32
	switch {
	case json.Unmarshal(b, &text) == nil:
		if len(text) > 0 && text[0] == '[' && json.Unmarshal([]byte(text), &pair) == nil && len(pair) == 2 {
			a.Entity, a.Full = ecs.Entity{ID: pair[0], Gen: pair[1]}, true
			return nil
		}
		var err error
		a.Entity, a.Full, err = ecs.ParseEntity(text)
		return byName(text, err)
	case json.Unmarshal(b, &pair) == nil && len(pair) == 2:
		a.Entity, a.Full = ecs.Entity{ID: pair[0], Gen: pair[1]}, true
		return nil
	case json.Unmarshal(b, &a.Entity.ID) == nil:
		return nil
	}
	return &refusal.Error{Code: refusal.InvalidArguments, Message: "not an entity: " + words.Clip(string(b), 80), Got: words.Clip(string(b), 80),
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
func (a Arg) MarshalJSON() ([]byte, error) { return json.Marshal(a.Entity.String()) }

// Text is the entity as it is written: "42v3", "42" for a bare slot number, ""
// where none was given.
func (a Arg) Text() string {
	switch {
	case !a.Given:
		return ""
	case !a.Full:
		return strconv.FormatUint(uint64(a.Entity.ID), 10)
	}
	return a.Entity.String()
}

// Reading gives the entity that a reading tool means: for a bare slot number
// the one that lives there now.
func (a Arg) Reading(w ecs.World) (ecs.Entity, error) {
	if a.Full {
		return a.Entity, nil
	}
	e, ok := w.Holder(a.Entity.ID)
	if !ok {
		return e, &refusal.Error{Code: refusal.UnknownEntity, Message: fmt.Sprintf("no entity lives in slot %d now", a.Entity.ID),
			Got: a.Entity.ID, Hint: "query lists the living ones", Next: "query"}
	}
	return e, nil
}

// Writing refuses a bare slot number: who lives there may have changed since
// the caller looked.
func (a Arg) Writing(name string) error {
	if a.Full {
		return nil
	}
	return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%s: a tool that writes wants the whole id, got the bare slot %d", name, a.Entity.ID),
		Got: a.Entity.ID, Want: `the form "42v3" (id v generation)`, Hint: fmt.Sprintf(`info {"entity":%d} tells who lives there now`, a.Entity.ID), Next: "info"}
}

// WithForms advises the ordinary form of entity arguments in the tool's
// input schema; the decoder takes more.
//
// Fields of a type in open are shown as an object of any properties: what they
// are is told elsewhere, and the decoder checks them.
func WithForms[In any](t *tools.Tool, open ...reflect.Type) *tools.Tool {
	t.Fields = entityFields(value.ArgsOf(reflect.TypeFor[In]()).Fields, open)
	t.InputSchema = schema.Object(t.Fields)
	return t
}

func entityFields(fields []*value.Field, open []reflect.Type) []*value.Field {
	out := slices.Clone(fields)
	for i, f := range out {
		g := *f
		switch {
		case f.Go == reflect.TypeFor[Arg]():
			g.Kind, g.Enum = value.KindEntity, nil
		case f.Elem != nil && f.Elem.Go == reflect.TypeFor[Arg]():
			elem := *f.Elem
			elem.Kind = value.KindEntity
			g.Elem = &elem
		case slices.Contains(open, f.Go):
			g.Kind, g.Elem = value.KindMap, nil
		default:
			continue
		}
		out[i] = &g
	}
	return out
}
