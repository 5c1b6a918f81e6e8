package snapshot

import (
	"bytes"
	"errors"
	"iter"
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/snapshot/internal/images"
)

// fakeWorld is a world that is nothing but its image.
type fakeWorld struct {
	cat      *ecs.Catalog
	img      ecs.Image
	locked   bool
	failNext bool
	restores int
}

func (w *fakeWorld) Catalog() *ecs.Catalog                        { return w.cat }
func (w *fakeWorld) Locked() bool                                 { return w.locked }
func (w *fakeWorld) Alive(ecs.Entity) bool                        { return false }
func (w *fakeWorld) Holder(uint32) (ecs.Entity, bool)             { return ecs.Entity{}, false }
func (w *fakeWorld) Chunks(ecs.Filter) iter.Seq[ecs.Chunk]        { return func(func(ecs.Chunk) bool) {} }
func (w *fakeWorld) Row(ecs.Entity) (ecs.Chunk, int, bool)        { return nil, 0, false }
func (w *fakeWorld) Apply([]ecs.Change) ([]ecs.Entity, error)     { return nil, nil }
func (w *fakeWorld) Resource(id ecs.TypeID) (reflect.Value, bool) { return reflect.Value{}, false }

func (w *fakeWorld) Capture(img *ecs.Image) error { *img = cloneImage(&w.img); return nil }
func (w *fakeWorld) Check(img *ecs.Image) error {
	if w.locked {
		return &refusal.Error{Code: refusal.WorldLocked, Message: "locked"}
	}
	return ecs.ValidateImage(w.cat, img)
}
func (w *fakeWorld) Restore(img *ecs.Image) error {
	if err := w.Check(img); err != nil {
		return err
	}
	w.restores++
	if w.failNext {
		w.failNext = false
		return errors.New("the engine gave up")
	}
	old := w.img.Resources
	w.img = cloneImage(img)
	for _, r := range old { // those the image does not mention stay
		found := false
		for _, x := range img.Resources {
			found = found || x.ID == r.ID
		}
		if !found {
			w.img.Resources = append(w.img.Resources, r)
		}
	}
	return nil
}

func cloneImage(img *ecs.Image) ecs.Image {
	out := ecs.Image{Pool: img.Pool}
	out.Pool.Slots = append([]ecs.Entity(nil), img.Pool.Slots...)
	for _, a := range img.Archetypes {
		b := ecs.ImageArchetype{Components: append([]ecs.TypeID(nil), a.Components...), Targets: append([]ecs.Target(nil), a.Targets...),
			Entities: append([]ecs.Entity(nil), a.Entities...)}
		for _, c := range a.Columns {
			b.Columns = append(b.Columns, value.Copy(c))
		}
		out.Archetypes = append(out.Archetypes, b)
	}
	for _, r := range img.Resources {
		v := r.Value
		if v.IsValid() {
			v = value.Copy(v)
		}
		out.Resources = append(out.Resources, ecs.ImageResource{ID: r.ID, Value: v})
	}
	return out
}

// catalogOf makes a catalog of component and resource types.
func catalogOf(components, resources []reflect.Type, relations ...reflect.Type) *ecs.Catalog {
	c := ecs.Catalog{Engine: ecs.Engine{Name: "fake", DanglingTargets: true}}
	for i, t := range components {
		x := &ecs.Component{ID: ecs.TypeID(i), Type: value.TypeOf(t), Tag: t.Size() == 0}
		for _, r := range relations {
			x.Relation = x.Relation || r == t
		}
		c.Components = append(c.Components, x)
	}
	for i, t := range resources {
		c.Resources = append(c.Resources, &ecs.Resource{ID: ecs.TypeID(i), Type: value.TypeOf(t), Present: true})
	}
	return ecs.NewCatalog(c)
}

// builder makes images by hand.
type builder struct {
	w *fakeWorld
}

func newFake(components, resources []reflect.Type, relations ...reflect.Type) *builder {
	b := &builder{&fakeWorld{cat: catalogOf(components, resources, relations...)}}
	b.w.img.Pool = ecs.Pool{Slots: []ecs.Entity{{}}, Reserved: 1}
	return b
}

func (b *builder) id(t reflect.Type) ecs.TypeID {
	for _, c := range b.w.cat.Components {
		if c.Type.Go == t {
			return c.ID
		}
	}
	panic("no component " + t.String())
}

// rows adds an archetype; columns are slices of equal length.
func (b *builder) rows(targets []ecs.Target, columns ...any) []ecs.Entity {
	a := ecs.ImageArchetype{Targets: targets}
	n := 1
	for _, c := range columns {
		v := reflect.ValueOf(c)
		n = v.Len()
		a.Components = append(a.Components, b.id(v.Type().Elem()))
		a.Columns = append(a.Columns, v)
	}
	p := &b.w.img.Pool
	for range n {
		e := ecs.Entity{ID: uint32(len(p.Slots)), Gen: uint32(len(p.Slots) % 3)}
		p.Slots = append(p.Slots, e)
		a.Entities = append(a.Entities, e)
	}
	images.SortColumns(&a)
	b.w.img.Archetypes = append(b.w.img.Archetypes, a)
	return a.Entities
}

// free appends free slots, linked from the last to the first.
func (b *builder) free(n int) {
	p := &b.w.img.Pool
	for range n {
		slot := uint32(len(p.Slots))
		p.Slots = append(p.Slots, ecs.Entity{ID: p.Next, Gen: slot + 7})
		p.Next = slot
		p.Available++
	}
}

func (b *builder) resource(v any) {
	t := reflect.TypeOf(v)
	for _, r := range b.w.cat.Resources {
		if r.Type.Go == t {
			b.w.img.Resources = append(b.w.img.Resources, ecs.ImageResource{ID: r.ID, Value: value.Addressable(reflect.ValueOf(v))})
		}
	}
}

func (b *builder) absent(t reflect.Type) {
	for _, r := range b.w.cat.Resources {
		if r.Type.Go == t {
			b.w.img.Resources = append(b.w.img.Resources, ecs.ImageResource{ID: r.ID})
		}
	}
}

func save(t testing.TB, w ecs.World, o *Options) []byte {
	t.Helper()
	var buf bytes.Buffer
	if _, err := Save(&buf, w, o); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func load(t testing.TB, data []byte, w ecs.World, o *Options) *Report {
	t.Helper()
	r, err := Load(bytes.NewReader(data), w, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// column finds the values of one type in an image's archetype.
func columnOf[T any](t testing.TB, w *fakeWorld, archetype int) []T {
	t.Helper()
	a := w.img.Archetypes[archetype]
	for _, c := range a.Columns {
		if s, ok := c.Interface().([]T); ok {
			return s
		}
	}
	t.Fatalf("archetype %d has no %s", archetype, reflect.TypeFor[T]())
	return nil
}

func typ[T any]() reflect.Type { return reflect.TypeFor[T]() }

func types(ts ...reflect.Type) []reflect.Type { return ts }

// refused checks that a load is refused with the code and touches nothing.
func refused(t *testing.T, data []byte, w *fakeWorld, code refusal.Code, o *Options) *refusal.Error {
	t.Helper()
	before := w.restores
	_, err := Load(bytes.NewReader(data), w, o)
	var e *refusal.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("not refused with %s: %v", code, err)
	}
	if e.Message == "" || e.Hint == "" {
		t.Errorf("the refusal does not teach: %+v", e)
	}
	if w.restores != before {
		t.Fatal("the world was touched")
	}
	return e
}
