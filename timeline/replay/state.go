package replay

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools/host"
)

// State is a moment of a game: its world and what the host saves beside it. It
// may be taken again and again and reuses its memory.
type State struct {
	Image  ecs.Image
	States []HostState

	resources int // types that were registered
}

// HostState is what a host.SnapshotState saved.
type HostState struct {
	Name    string
	Version int
	Data    []byte
}

// take copies the present.
func (s *State) take(w ecs.World, app *host.App) error {
	r, ok := w.(ecs.Restorer)
	if !ok {
		return &refusal.Error{Code: refusal.NotSupported, Message: "this world cannot be captured and restored: its adapter does not implement ecs.Restorer",
			Hint: "capabilities tells what the engine's adapter can do", Next: "capabilities"}
	}
	if err := r.Capture(&s.Image); err != nil {
		return err
	}
	s.resources = len(w.Catalog().Resources)
	s.States = s.States[:0]
	for _, st := range hostStates(app) {
		data, err := st.Save()
		if err != nil {
			return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("the host's state %q could not be saved: %v", st.Name(), err)}
		}
		s.States = append(s.States, HostState{st.Name(), st.Version(), data})
	}
	return nil
}

// put makes it the present. Whatever can be refused is refused before anything
// changes.
func (s *State) put(w ecs.World, app *host.App) error {
	var finish []func()
	for _, st := range hostStates(app) {
		i := slices.IndexFunc(s.States, func(h HostState) bool { return h.Name == st.Name() })
		if i < 0 {
			continue
		}
		f, err := st.Load(s.States[i].Version, bytes.Clone(s.States[i].Data))
		if err != nil {
			return &refusal.Error{Code: refusal.BadSnapshot, Message: fmt.Sprintf("the host refuses its own state %q: %v", st.Name(), err)}
		}
		if f != nil {
			finish = append(finish, f)
		}
	}
	// A resource whose type was registered since was not there, and an image
	// leaves alone what it does not list.
	img := s.Image
	if s.resources > 0 {
		for id := s.resources; id < len(w.Catalog().Resources); id++ {
			img.Resources = append(slices.Clip(img.Resources), ecs.ImageResource{ID: ecs.TypeID(id)})
		}
	}
	if err := w.(ecs.Restorer).Restore(&img); err != nil {
		return err
	}
	for _, f := range finish {
		f()
	}
	return nil
}

func hostStates(app *host.App) []host.SnapshotState {
	if app == nil || app.Snapshots == nil {
		return nil
	}
	return app.Snapshots.States
}

// Same says whether two states are equal to the last bit, and if not, where the
// first difference is in words.
func Same(cat *ecs.Catalog, a, b *State) (same bool, where string) {
	if where := differs(cat, &a.Image, &b.Image); where != "" {
		return false, where
	}
	for i := range a.States {
		if i >= len(b.States) || a.States[i].Name != b.States[i].Name || !bytes.Equal(a.States[i].Data, b.States[i].Data) {
			return false, "the host's state " + a.States[i].Name
		}
	}
	if n := len(a.States); n < len(b.States) {
		return false, "the host's state " + b.States[n].Name
	}
	return true, ""
}

func differs(cat *ecs.Catalog, a, b *ecs.Image) string {
	pa, pb := &a.Pool, &b.Pool
	if pa.Next != pb.Next && pa.Available > 0 || pa.Available != pb.Available || !slices.Equal(pa.Slots, pb.Slots) {
		return "the table of entities"
	}
	// Archetypes that a run made and the restore has emptied may stay.
	la, lb := withRows(a), withRows(b)
	if len(la) != len(lb) {
		return "the archetypes"
	}
	for i, x := range la {
		y := lb[i]
		switch {
		case !slices.Equal(x.Components, y.Components) || !slices.Equal(x.Targets, y.Targets):
			return "the order of archetypes"
		case !slices.Equal(x.Entities, y.Entities):
			return "the order of rows"
		}
		for k, id := range x.Components {
			if !sameColumn(cat.Components[id].Type, x.Columns[k], y.Columns[k]) {
				return "values of " + cat.Components[id].Name
			}
		}
	}
	ra, rb := present(a), present(b)
	for i := 0; i < len(ra) || i < len(rb); i++ {
		if i >= len(ra) || i >= len(rb) || ra[i].ID != rb[i].ID {
			return "which resources there are"
		}
		if !value.Equal(ra[i].Value, rb[i].Value) {
			return "the resource " + cat.Resources[ra[i].ID].Name
		}
	}
	return ""
}

func present(img *ecs.Image) (list []ecs.ImageResource) {
	for _, r := range img.Resources {
		if r.Value.IsValid() {
			list = append(list, r)
		}
	}
	return list
}

func withRows(img *ecs.Image) (list []*ecs.ImageArchetype) {
	for i := range img.Archetypes {
		if len(img.Archetypes[i].Entities) > 0 {
			list = append(list, &img.Archetypes[i])
		}
	}
	return list
}

// sameColumn is value.Equal of two columns, quick where they are equal.
func sameColumn(t *value.Type, a, b reflect.Value) bool {
	return t.Size == 0 || value.Equal(a, b)
}

// states keeps memory for whole worlds between uses.
type states struct{ p sync.Pool }

var verifying states

func (s *states) Get() *State {
	if x, ok := s.p.Get().(*State); ok {
		return x
	}
	return new(State)
}

func (s *states) Put(x *State) { s.p.Put(x) }
