package builtin

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/schema"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/tools"
)

// actionTool makes <Component>_<Action>.
func actionTool(comp *ecs.Component, action *value.ActionInfo, name string) *tools.Tool {
	a := &actionHandler{typ: comp.Type, action: action, args: []*value.Field{entityArgument(comp.Type.Name)}}
	for _, f := range action.In.Fields {
		if f.Name == "entity" { // the entity that acts has that name
			g := *f
			g.Name = "entity_"
			f = &g
		}
		if !f.Hidden {
			a.args = append(a.args, f)
		}
	}
	doc := strings.TrimSuffix(action.Doc, ".")
	if doc == "" {
		doc = fmt.Sprintf("Runs the action %s", action.Name)
	}
	return &tools.Tool{
		Spec: tools.Spec{
			Name:        name,
			Description: fmt.Sprintf("%s (an action of %s).", doc, comp.Name),
			NeedsWorld:  true,
		},
		InputSchema:  schema.Object(a.args),
		Fields:       a.args,
		OutputSchema: schema.Answer(action.Out.Root),
		Handler:      a,
	}
}

type actionHandler struct {
	typ    *value.Type
	action *value.ActionInfo
	args   []*value.Field
}

// Prepare implements [tools.Handler].
func (a *actionHandler) Prepare(_ *tools.Call, raw json.RawMessage) (tools.Job, error) {
	args, text, err := splitEntity(raw, a.args)
	if err != nil {
		return tools.Job{}, err
	}
	var who entities.Arg
	if err := who.UnmarshalJSON(text); err != nil {
		return tools.Job{}, err
	}
	if err := who.Writing("entity"); err != nil {
		return tools.Job{}, err
	}
	for name := range args {
		if !containsField(a.args[1:], name) {
			return tools.Job{}, &refusal.Error{Code: refusal.InvalidArguments, Got: name, Message: fmt.Sprintf("unknown argument %q", name),
				Options: refusal.Nearest(name, argNames(a.args)), Total: len(a.args)}
		}
	}
	if v, ok := args["entity_"]; ok {
		delete(args, "entity_")
		args["entity"] = v
	}
	for _, f := range a.args[1:] {
		if _, ok := args[strings.TrimSuffix(f.Name, "_")]; !ok && !f.Optional && f.Default == "" {
			return tools.Job{}, &refusal.Error{Code: refusal.InvalidArguments, Message: strings.TrimSuffix(fmt.Sprintf("missing argument %q: %s", f.Name, f.Doc), ": "),
				Want: f.Name, Options: argNames(a.args), Total: len(a.args)}
		}
	}
	b, err := json.Marshal(args)
	if err != nil {
		return tools.Job{}, err
	}
	in, err := a.action.In.DecodeJSON(b, reflect.Value{})
	if err != nil {
		return tools.Job{}, err
	}
	var out reflect.Value
	return tools.Job{
		Frame: func(f *tools.Frame) (err error) {
			out, err = a.run(f, who.Entity, in)
			return err
		},
		Finish: func(*tools.Call) (*tools.Result, error) { return tools.EncodeResult(out.Interface()) },
	}, nil
}

// run calls the action on the component in place. An action that fails or
// panics must not leave the component half changed: it is put back from a copy.
func (a *actionHandler) run(f *tools.Frame, entity ecs.Entity, in reflect.Value) (out reflect.Value, err error) {
	chunk, row, alive := f.World.Row(entity)
	if !alive {
		return out, ecs.CheckAlive(f.World, entity)
	}
	comp, err := f.Catalog.Component(a.typ.ID)
	if err != nil {
		return out, err
	}
	if err := entities.CheckComponent(f.Catalog, chunk, entity, comp); err != nil {
		return out, err
	}
	if err := ecs.CheckEntities(f.World, in, ""); err != nil {
		return out, err
	}
	col, _ := chunk.Column(comp.ID)
	ptr := col.At(row)
	before := value.Copy(reflect.NewAt(a.typ.Go, ptr).Elem())
	undo := func() {
		// The action may have moved the entity: put the value back where it lives now.
		_, _ = f.World.Apply([]ecs.Change{{Op: ecs.OpSet, Exact: true, Entity: entity, Values: []ecs.Value{{Type: comp.ID, Value: before}}}})
	}
	defer func() {
		if p := recover(); p != nil {
			undo()
			err = &refusal.Error{Code: refusal.Panicked, Message: fmt.Sprintf("the action %s of %s panicked: %v\n%s", a.action.Name, a.typ.Name, p, debug.Stack()),
				Hint: "the component was put back as it was; what else the action had changed stays changed"}
		}
	}()
	res, err := a.action.Call(ecs.ActionContext{World: f.World, Entity: entity}, ptr, in)
	if err != nil {
		undo()
		if _, typed := err.(*refusal.Error); !typed {
			err = &refusal.Error{Code: refusal.Failed, Message: fmt.Sprintf("%s refused: %v", a.action.Name, err)}
		}
		return out, err
	}
	return value.Copy(res), nil
}

func containsField(fields []*value.Field, name string) bool {
	for _, f := range fields {
		if f.Name == name {
			return true
		}
	}
	return false
}
