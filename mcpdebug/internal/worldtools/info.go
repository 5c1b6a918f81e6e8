package worldtools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/tools"
)

type infoArgs struct {
	Entity       entities.Arg `json:"entity" jsonschema:"the entity: \"42v3\", or a bare slot number"`
	Components   []string     `json:"components,omitempty" jsonschema:"only these components"`
	ReferencedBy bool         `json:"referencedBy,omitempty" jsonschema:"look for who names it" debug:"default=true"`
	MaxBytes     int          `json:"maxBytes,omitempty" jsonschema:"bytes" debug:"min=1024,max=1048576,default=32768"`
	past.At
}

type infoResult struct {
	Entity        string                     `json:"entity" jsonschema:"the entity: id v generation"`
	Alive         bool                       `json:"alive" jsonschema:"whether it lives"`
	Name          string                     `json:"name,omitempty" jsonschema:"its label, where one of its components gives one"`
	Archetype     *int                       `json:"archetype,omitempty" jsonschema:"number of its archetype, for archetypes_info"`
	Components    map[string]json.RawMessage `json:"components,omitempty" jsonschema:"its values by component"`
	Computed      map[string]json.RawMessage `json:"computed,omitempty" jsonschema:"computed values by path"`
	Relations     map[string]ecs.Entity      `json:"relations,omitempty" jsonschema:"relation targets by relation; null for none"`
	DeadTargets   []string                   `json:"deadTargets,omitempty" jsonschema:"relations whose target is dead"`
	ReferencedBy  []reference                `json:"referencedBy,omitempty" jsonschema:"components of entities that name this one, at most 50"`
	ReferencesCut bool                       `json:"referencesCut,omitempty" jsonschema:"referencedBy was ended early: there may be more"`
	Holder        string                     `json:"holder,omitempty" jsonschema:"of a dead entity: who lives in its slot now"`
	HolderName    string                     `json:"holderName,omitempty" jsonschema:"label of the holder"`
	Truncated     bool                       `json:"truncated,omitempty" jsonschema:"values or references were left out to keep within maxBytes"`
	Hint          string                     `json:"hint,omitempty" jsonschema:"what to do next"`
	Errors        map[string]string          `json:"errors,omitempty" jsonschema:"why a component's value is missing"`
	past.Tick
}

type reference struct {
	Entity    string `json:"entity" jsonschema:"who names it"`
	Name      string `json:"name,omitempty" jsonschema:"label of who names it"`
	Component string `json:"component" jsonschema:"in which component"`
	Path      string `json:"path" jsonschema:"in which field"`
}

type infoPrep struct {
	in    infoArgs
	comps entities.FromCatalog[[]ecs.TypeID]
}

type infoCopy struct {
	in       infoArgs
	out      infoResult
	row      entityCopy
	alive    bool
	computed []computedCopy
}

type computedCopy struct {
	path string
	v    reflect.Value
	err  error
}

func infoTool(then *past.Past) *tools.Tool {
	return entities.WithForms[infoArgs](tools.NewPhased(tools.Spec{
		Name: "info", Effect: tools.ReadOnly, Idempotent: true, OffFrameWith: past.With,
		Description: "Reads one entity whole: values, relations and who refers to it.",
		Example:     `{"entity":"42v3"}`,
	}, tools.Phases[infoArgs, infoPrep, *infoCopy, infoResult]{
		Instead: func(c *tools.Call, in infoArgs) (*tools.Frame, error) { return then.Frame(c, in.At) },
		Before:  infoBefore, Frame: infoFrame, After: infoAfter}))
}

func infoBefore(c *tools.Call, in infoArgs) (infoPrep, error) {
	comps, err := entities.Make(c, func(cat *ecs.Catalog) ([]ecs.TypeID, error) { return componentIDs(cat, "components", in.Components) })
	return infoPrep{in, comps}, err
}

// componentIDs resolves names; nil stays nil.
func componentIDs(cat *ecs.Catalog, what string, names []string) ([]ecs.TypeID, error) {
	var ids []ecs.TypeID
	for _, n := range names {
		comp, err := cat.Component(n)
		if err != nil {
			if e, ok := err.(*refusal.Error); ok {
				d := *e
				d.Message = what + ": " + e.Message
				err = &d
			}
			return nil, err
		}
		ids = append(ids, comp.ID)
	}
	return ids, nil
}

func infoFrame(f *tools.Frame, p infoPrep) (*infoCopy, error) {
	w, cat := f.World, f.World.Catalog()
	want, err := p.comps.On(f)
	if err != nil {
		return nil, err
	}
	e, err := p.in.Entity.Reading(w)
	if err != nil {
		return nil, err
	}
	out := &infoCopy{in: p.in}
	out.out.Entity = e.String()
	c, row, ok := w.Row(e)
	if !ok {
		if err, isRefusal := ecs.CheckAlive(w, e).(*refusal.Error); isRefusal && err.Code == refusal.UnknownEntity {
			return nil, err
		}
		if h, ok := w.Holder(e.ID); ok {
			out.out.Holder = h.String()
			if hc, hrow, ok := w.Row(h); ok {
				out.out.HolderName = ecs.LabelOf(cat, hc, hrow)
			}
		}
		return out, nil
	}
	out.alive = true
	id := c.Archetype()
	out.out.Archetype = &id
	for _, comp := range want {
		if err := entities.CheckComponent(cat, c, e, cat.Components[comp]); err != nil {
			return nil, err
		}
	}
	out.row = takeRow(cat, c, row, true, want)
	for _, comp := range out.row.comps {
		if want == nil || slices.Contains(want, comp) {
			out.takeComputed(c, row, cat.Components[comp])
		}
	}
	for _, t := range c.Targets() {
		if !t.Entity.IsZero() && !w.Alive(t.Entity) {
			out.out.DeadTargets = append(out.out.DeadTargets, cat.Components[t.Relation].Name)
		}
	}
	out.out.Relations = relationsOf(cat, c.Targets())
	if p.in.ReferencedBy {
		out.out.ReferencedBy, out.out.ReferencesCut = referencesTo(w, cat, e)
	}
	return out, nil
}

func (out *infoCopy) takeComputed(c ecs.Chunk, row int, comp *ecs.Component) {
	for _, cv := range comp.Type.Computed {
		root, ok := entities.RowValue(c, row, comp)
		if !ok {
			return
		}
		one := computedCopy{path: comp.Name + "." + cv.Name}
		one.err = safely(func() error {
			one.v = value.Copy(cv.Get(unsafe.Pointer(root.UnsafeAddr())))
			return nil
		})
		out.computed = append(out.computed, one)
	}
}

func infoAfter(_ *tools.Call, c *infoCopy) (infoResult, error) {
	out := c.out
	if !c.alive {
		out.Hint = "it is dead; query finds living entities"
		if out.Holder != "" {
			out.Hint = "it is dead; its slot is " + out.Holder + "'s now, another entity"
		}
		return out, nil
	}
	row := c.row.row(value.EncodeOptions{})
	maxBytes := c.in.MaxBytes
	if maxBytes <= 0 {
		maxBytes = page.DefaultMaxBytes
	}
	out.Alive, out.Name, out.Components, out.Errors = true, row.Name, row.Values, row.Errors
	if out.Components == nil {
		out.Components = map[string]json.RawMessage{}
	}
	computed := entityRow{}
	for _, v := range c.computed {
		if v.err != nil {
			computed.fail(v.path, v.err.Error())
			continue
		}
		computed.put(v.path, v.v, value.EncodeOptions{Bulk: true})
	}
	out.Computed = computed.Values
	for k, why := range computed.Errors {
		if out.Errors == nil {
			out.Errors = map[string]string{}
		}
		out.Errors[k] = why
	}
	out.bound(maxBytes)
	return out, nil
}

// bound leaves out what is longest until the answer fits: half of the
// references, or the largest value, whose place an error takes.
func (r *infoResult) bound(maxBytes int) {
	for r.size() > maxBytes {
		r.Truncated, r.Hint = true, "ask for some components, set referencedBy to false, or raise maxBytes"
		from, key := r.Components, ""
		for _, m := range []map[string]json.RawMessage{r.Components, r.Computed} {
			for k, v := range m {
				if key == "" || len(v) > len(from[key]) || len(v) == len(from[key]) && k < key {
					from, key = m, k
				}
			}
		}
		const aReference = 80 // bytes, about
		switch n := len(r.ReferencedBy); {
		case n > 0 && n*aReference >= len(from[key]):
			r.ReferencedBy, r.ReferencesCut = r.ReferencedBy[:n/2], true
		case key != "":
			if r.Errors == nil {
				r.Errors = map[string]string{}
			}
			r.Errors[key] = fmt.Sprintf("left out: %d bytes", len(from[key]))
			delete(from, key)
		case len(r.Errors) > 0:
			r.Errors = nil
		default:
			return
		}
	}
}

func (r *infoResult) size() int {
	b, err := value.AppendJSON(nil, reflect.ValueOf(r).Elem(), value.EncodeOptions{JSON: true})
	if err != nil {
		return 0
	}
	return len(b)
}
