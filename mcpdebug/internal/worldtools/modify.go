package worldtools

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/query"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/tools"
)

type modifyArgs struct {
	Entity    *entities.Arg              `json:"entity,omitempty" jsonschema:"full id, like 42v3"`
	Entities  []entities.Arg             `json:"entities,omitempty" jsonschema:"or several"`
	Query     *selection                 `json:"query,omitempty" jsonschema:"or all that match, as in query"`
	Component string                     `json:"component" jsonschema:"its name"`
	Values    map[string]json.RawMessage `json:"values" jsonschema:"by path: {\"HP\":5}, {\"Slots[0].Count\":2}"`
}

type modifyResult struct {
	Changed  int                        `json:"changed" jsonschema:"how many values were written"`
	Entities int                        `json:"entities" jsonschema:"how many entities they were written to"`
	Skipped  int                        `json:"skipped" jsonschema:"how many entities were left alone: dead, without the component, or without a place that a path names"`
	Reasons  []string                   `json:"reasons,omitempty" jsonschema:"why entities were skipped, at most 5"`
	Before   map[string]json.RawMessage `json:"before,omitempty" jsonschema:"of one entity: the old values by path"`
	After    map[string]json.RawMessage `json:"after,omitempty" jsonschema:"of one entity: the new values by path"`
	Rows     []modifiedRow              `json:"rows,omitempty" jsonschema:"of several entities: the same for each, at most 20"`
}

type modifiedRow struct {
	Entity string                     `json:"entity" jsonschema:"the entity"`
	Name   string                     `json:"name,omitempty" jsonschema:"its label"`
	Before map[string]json.RawMessage `json:"before" jsonschema:"the old values by path"`
	After  map[string]json.RawMessage `json:"after" jsonschema:"the new values by path"`
}

// edit is one checked and decoded write inside a value.
type edit struct {
	text string
	path *value.Path
	leaf reflect.Value
}

// edits are the writes of one call, in the order of their paths.
type edits struct {
	comp *ecs.Component
	list []edit
	// sure: no write can fail on a value of the type, whatever is in it.
	sure bool
}

type modifyPrep struct {
	in    modifyArgs
	edits entities.FromCatalog[edits]
	plan  entities.FromCatalog[*query.Plan]
}

type modifyCopy struct {
	single  bool
	list    []edit
	changed int
	count   int
	skipped int
	reasons []string
	rows    []modifiedCopy
}

type modifiedCopy struct {
	entity        ecs.Entity
	name          string
	before, after []reflect.Value
}

func modifyTool() *tools.Tool {
	return entities.WithForms[modifyArgs](tools.NewPhased(tools.Spec{
		Name: "modify", Idempotent: true,
		Description: "Changes fields of a component of one entity, several, or all that match. set adds components.",
		Example:     `{"entity":"42v3","component":"Health","values":{"HP":50}}`,
	}, tools.Phases[modifyArgs, *modifyPrep, *modifyCopy, modifyResult]{Before: modifyBefore, Frame: modifyFrame, After: modifyAfter}),
		reflect.TypeFor[*selection]()) // as query lists it
}

func modifyBefore(c *tools.Call, in modifyArgs) (*modifyPrep, error) {
	p := &modifyPrep{in: in}
	given := 0
	for _, is := range []bool{in.Entity != nil, in.Entities != nil, in.Query != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("say which entities to change in exactly one way, got %d", given),
			Got: given, Options: []string{"entity", "entities", "query"}, Total: 3}
	}
	if in.Entity != nil {
		if err := in.Entity.Writing("entity"); err != nil {
			return nil, err
		}
	}
	if in.Entities != nil && len(in.Entities) == 0 {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "entities is empty: nothing would be changed"}
	}
	for i, e := range in.Entities {
		if err := e.Writing(fmt.Sprintf("entities[%d]", i)); err != nil {
			return nil, err
		}
	}
	var err error
	if p.edits, err = entities.Make(c, func(cat *ecs.Catalog) (edits, error) {
		comp, err := cat.Component(in.Component)
		if err != nil {
			return edits{}, err
		}
		list, err := compileEdits(comp.Type, comp.Name, in.Values)
		e := edits{comp: comp, list: list, sure: true}
		for _, x := range list {
			if _, fixed := x.path.Fixed(); !fixed {
				e.sure = false
			}
		}
		return e, err
	}); err != nil {
		return nil, err
	}
	if in.Query != nil {
		p.plan, err = entities.Make(c, func(cat *ecs.Catalog) (*query.Plan, error) { return query.Compile(cat, in.Query.query()) })
	}
	return p, err
}

// compileEdits checks and decodes values by path.
func compileEdits(t *value.Type, name string, values map[string]json.RawMessage) ([]edit, error) {
	if len(values) == 0 {
		var names []string
		for _, f := range t.Fields {
			if !f.Hidden && !f.ReadOnly && len(names) < 10 {
				names = append(names, f.Name)
			}
		}
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "values is empty: name at least one path of " + name + " with its new value",
			Options: names, Total: len(names), Extra: guideOf(t)}
	}
	texts := make([]string, 0, len(values))
	for text := range values {
		texts = append(texts, text)
	}
	slices.Sort(texts)
	list := make([]edit, 0, len(texts))
	for _, text := range texts {
		path, err := t.Path(text)
		if err != nil {
			// Position.X instead of X is a slip that leaves no doubt.
			short, ok := cutComponent(t, name, text)
			if !ok {
				return nil, refusedEdit(t, name, err)
			}
			if path, err = t.Path(short); err != nil {
				return nil, refusedEdit(t, name, err)
			}
		}
		leaf, err := path.Decode(values[text])
		if err != nil {
			return nil, refusedEdit(t, name, err)
		}
		list = append(list, edit{text, path, leaf})
	}
	return list, nil
}

func cutComponent(t *value.Type, name, text string) (string, bool) {
	for _, n := range []string{name, t.Name, t.Qualified, t.ID} {
		if len(text) > len(n)+1 && text[:len(n)] == n && text[len(n)] == '.' {
			return text[len(n)+1:], true
		}
	}
	return "", false
}

// checkEdits refuses entities in the new values that do not live. On the frame.
func checkEdits(w ecs.World, t *value.Type, name string, list []edit) error {
	for _, e := range list {
		if err := ecs.CheckWrite(w, name, e.path, e.leaf); err != nil {
			return refusedEdit(t, name, err)
		}
	}
	return nil
}

// refusedEdit attaches how the component is written.
func refusedEdit(t *value.Type, name string, err error) error {
	var e *refusal.Error
	if !errors.As(err, &e) {
		return err
	}
	d := *e
	if d.Extra == nil {
		d.Extra = guideOf(t)
	}
	if d.Hint == "" {
		d.Hint = "describe " + name + " lists every settable path with a valid value"
	}
	return &d
}

func guideOf(t *value.Type) map[string]any { return map[string]any{"guide": t.Guide()} }

// target is a row to change.
type target struct {
	chunk ecs.Chunk
	row   int
}

func modifyFrame(f *tools.Frame, p *modifyPrep) (*modifyCopy, error) {
	w := f.World
	ed, err := p.edits.On(f)
	if err != nil {
		return nil, err
	}
	out := &modifyCopy{single: p.in.Entity != nil, list: ed.list}
	if err := checkEdits(w, ed.comp.Type, ed.comp.Name, ed.list); err != nil {
		return nil, err
	}
	cat := w.Catalog()
	var targets []target
	switch {
	case p.in.Query != nil:
		targets, err = out.matching(f, p, cat, &ed)
	case p.in.Entity != nil:
		targets, err = out.listed(w, cat, []entities.Arg{*p.in.Entity}, &ed)
	default:
		targets, err = out.listed(w, cat, p.in.Entities, &ed)
	}
	if err != nil {
		return nil, err
	}
	if len(targets) == 0 {
		return nil, out.nothing(p, &ed)
	}
	for _, t := range targets {
		out.write(cat, &ed, t)
	}
	return out, nil
}

// listed finds the rows of given entities. For one alone a fault is a refusal,
// in a list it is counted.
func (m *modifyCopy) listed(w ecs.World, cat *ecs.Catalog, list []entities.Arg, ed *edits) ([]target, error) {
	seen := make(map[ecs.Entity]bool, len(list))
	var targets []target
	for _, a := range list {
		if seen[a.Entity] {
			continue
		}
		seen[a.Entity] = true
		err := ecs.CheckAlive(w, a.Entity)
		var t target
		if err == nil {
			var ok bool
			if t.chunk, t.row, ok = w.Row(a.Entity); !ok {
				err = &refusal.Error{Code: refusal.EntityDead, Message: fmt.Sprintf("entity %v is dead", a.Entity)}
			}
		}
		if err == nil {
			err = entities.CheckComponent(cat, t.chunk, a.Entity, ed.comp)
		}
		if err == nil {
			err = m.check(ed, t)
		}
		if err == nil {
			targets = append(targets, t)
			continue
		}
		if m.single {
			return nil, err
		}
		m.skip(err)
	}
	return targets, nil
}

func (m *modifyCopy) matching(f *tools.Frame, p *modifyPrep, cat *ecs.Catalog, ed *edits) ([]target, error) {
	plan, err := p.plan.On(f)
	if err != nil {
		return nil, err
	}
	var targets []target
	_, err = plan.Rows(f.World, func(c ecs.Chunk, rows []int32) bool {
		for _, row := range rows {
			t := target{c, int(row)}
			err := entities.CheckComponent(cat, c, c.Entity(t.row), ed.comp)
			if err == nil {
				err = m.check(ed, t)
			}
			if err != nil {
				m.skip(err)
				continue
			}
			targets = append(targets, t)
		}
		return true
	})
	return targets, err
}

func (m *modifyCopy) skip(err error) {
	m.skipped++
	if len(m.reasons) < 5 {
		m.reasons = append(m.reasons, err.Error())
	}
}

// check tries the writes on a copy: an index out of range or a nil pointer
// must show before anything is written.
func (m *modifyCopy) check(ed *edits, t target) error {
	if ed.sure {
		return nil
	}
	root, ok := entities.RowValue(t.chunk, t.row, ed.comp)
	if !ok {
		return &refusal.Error{Code: refusal.ComponentMissing, Message: "no " + ed.comp.Name}
	}
	trial := value.Copy(root)
	for _, e := range ed.list {
		if err := e.path.Set(trial, e.leaf); err != nil {
			return refusedEdit(ed.comp.Type, ed.comp.Name, err)
		}
	}
	return nil
}

// write applies the edits in place, by typed assignment: what the component
// shares with the game (a pointer's target, a map) stays shared.
func (m *modifyCopy) write(cat *ecs.Catalog, ed *edits, t target) {
	root, ok := entities.RowValue(t.chunk, t.row, ed.comp)
	if !ok {
		return
	}
	described := len(m.rows) < maxDescribed
	row := modifiedCopy{}
	if described {
		row.entity, row.name = t.chunk.Entity(t.row), ecs.LabelOf(cat, t.chunk, t.row)
		row.before = readEdits(ed.list, root)
	}
	for _, e := range ed.list {
		leaf := e.leaf
		if !ed.comp.Type.PointerFree {
			leaf = value.Copy(leaf) // every entity gets memory of its own
		}
		if err := e.path.Set(root, leaf); err != nil {
			m.skip(err) // the trial passed; only a change of ours can end here
			continue
		}
		m.changed++
	}
	m.count++
	if described {
		row.after = readEdits(ed.list, root)
		m.rows = append(m.rows, row)
	}
}

// readEdits copies the values at the edited paths; a place that does not exist
// yet (a map's new key) has none.
func readEdits(list []edit, root reflect.Value) []reflect.Value {
	out := make([]reflect.Value, len(list))
	for i, e := range list {
		_ = safely(func() error {
			v, err := e.path.Get(root)
			if err == nil && v.IsValid() {
				out[i] = value.Copy(v)
			}
			return err
		})
	}
	return out
}

// nothing is the refusal of a call that would have changed nothing.
func (m *modifyCopy) nothing(p *modifyPrep, ed *edits) error {
	e := &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("nothing was changed: no entity with %s is among those asked for", ed.comp.Name), Got: m.skipped, Next: "query"}
	switch {
	case m.skipped > 0:
		e.Code = refusal.ComponentMissing
		e.Message = fmt.Sprintf("nothing was changed: all %d entities were skipped; the first: %s", m.skipped, m.reasons[0])
	case p.in.Query != nil:
		e.Message = "nothing was changed: no entity matches the query"
		e.Hint = "query with explain:true tells why"
	}
	return e
}

func modifyAfter(_ *tools.Call, m *modifyCopy) (modifyResult, error) {
	out := modifyResult{Changed: m.changed, Entities: m.count, Skipped: m.skipped, Reasons: m.reasons}
	for _, r := range m.rows {
		row := modifiedRow{Entity: r.entity.String(), Name: r.name, Before: encodeEdits(m.list, r.before), After: encodeEdits(m.list, r.after)}
		if m.single {
			out.Before, out.After = row.Before, row.After
			return out, nil
		}
		out.Rows = append(out.Rows, row)
	}
	if n := page.Cut(out.Rows, page.DefaultMaxBytes); n < len(out.Rows) {
		out.Rows = out.Rows[:n]
	}
	return out, nil
}

func encodeEdits(list []edit, values []reflect.Value) map[string]json.RawMessage {
	row := entityRow{Values: map[string]json.RawMessage{}}
	for i, v := range values {
		if v.IsValid() {
			row.putAt(list[i].text, list[i].path, v, value.EncodeOptions{Bulk: true})
		} else {
			row.Values[list[i].text] = json.RawMessage("null")
		}
	}
	row.shrink(page.DefaultMaxBytes)
	return row.Values
}
