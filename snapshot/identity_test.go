package snapshot

import (
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/value"
)

type (
	reach  struct{ Far float32 }
	budget struct{ Gold int }
	steady struct{ N int }
)

// A type that is laid out as before and means something else is told, with the
// values as they were; one that is described as before is not.
func TestATypeThatIsDescribedOtherwiseIsReported(t *testing.T) {
	world := func() *builder {
		return newFake(types(typ[reach](), typ[steady]()), types(typ[budget]()))
	}
	b := world()
	b.rows(nil, []reach{{3}, {4}}, []steady{{1}, {2}})
	b.resource(budget{70})
	data := save(t, b.w, nil)
	if rep := load(t, data, world().w, nil); len(rep.Projected) != 0 {
		t.Fatalf("nothing has changed: %+v", rep.Projected)
	}
	before := map[string]string{}
	for _, ty := range []*value.Type{value.TypeOf(reflect.TypeFor[reach]()), value.TypeOf(reflect.TypeFor[budget]())} {
		before[ty.ID] = ty.SchemaID
	}
	value.Describe(value.Doc[reach]("In tiles."))
	value.Describe(value.Computed("Rich", func(b *budget) bool { return b.Gold > 50 }))
	n := world()
	rep := load(t, data, n.w, nil)
	var want []Projection
	for _, ty := range []*value.Type{value.TypeOf(reflect.TypeFor[reach]()), value.TypeOf(reflect.TypeFor[budget]())} {
		if ty.SchemaID == before[ty.ID] {
			t.Fatalf("%s is described as before", ty.ID)
		}
		want = append(want, Projection{Type: ty.ID, Change: Redescribed, From: before[ty.ID], To: ty.SchemaID})
	}
	if !reflect.DeepEqual(rep.Projected, want) {
		t.Errorf("%+v\nwant %+v", rep.Projected, want)
	}
	if got := columnOf[reach](t, n.w, 0); !reflect.DeepEqual(got, []reach{{3}, {4}}) {
		t.Errorf("values %v", got)
	}
}

// Files of before have no schemaID; a type that has moved, or whose fields were
// projected, is not reported once more.
func TestWhatIsNotReportedAsDescribedOtherwise(t *testing.T) {
	ty := value.TypeOf(reflect.TypeFor[steady]())
	l := &loader{options: &Options{Rename: map[string]string{"old/name": ty.ID}}}
	l.report = &l.staged.report
	l.note(ty.ID, ty.Shape, ty)
	l.note("old/name", ty.Shape+"/other", ty)
	if l.redescribed(l.noted); len(l.report.projected) != 0 {
		t.Errorf("%+v", l.report.projected)
	}
	l.report.add(Projection{Type: ty.ID, Field: "N", Change: Converted})
	l.note(ty.ID, ty.Shape+"/other", ty)
	if l.redescribed(l.noted); len(l.report.projected) != 1 {
		t.Errorf("%+v", l.report.projected)
	}
}
