package ecs

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
)

type (
	imgPos  struct{ X int }
	imgLink struct{}
	imgRes  struct{ N int }
)

func ent(id, gen uint32) Entity { return Entity{ID: id, Gen: gen} }

func imageCatalog(e Engine) *Catalog {
	return NewCatalog(Catalog{Engine: e, Components: []*Component{
		{ID: 0, Type: value.TypeOf(reflect.TypeFor[imgPos]())}, {ID: 1, Type: value.TypeOf(reflect.TypeFor[imgLink]()), Relation: true},
		{ID: 2, Type: value.TypeOf(reflect.TypeFor[imgRes]()), Relation: true}},
		Resources: []*Resource{{ID: 0, Type: value.TypeOf(reflect.TypeFor[imgRes]())}}})
}

// image has two reserved slots, three rows (2, 3 and 5, of which 5 targets 3) and
// two free slots (4, then 6).
func image() *Image {
	return &Image{
		Pool: Pool{Reserved: 2, Next: 4, Available: 2, Slots: []Entity{ent(0, 9), ent(1, 9), ent(2, 1), ent(3, 0), ent(6, 4), ent(5, 2), ent(0, 8)}},
		Archetypes: []ImageArchetype{
			{Components: []TypeID{0}, Entities: []Entity{ent(2, 1), ent(3, 0)}, Columns: []reflect.Value{reflect.ValueOf([]imgPos{{1}, {2}})}},
			{Components: []TypeID{0, 1}, Entities: []Entity{ent(5, 2)}, Targets: []Target{{Relation: 1, Entity: ent(3, 0)}},
				Columns: []reflect.Value{reflect.ValueOf([]imgPos{{3}}), reflect.ValueOf([]imgLink{{}})}},
		},
		Resources: []ImageResource{{ID: 0, Value: reflect.ValueOf(imgRes{4})}},
	}
}

func TestASoundImage(t *testing.T) {
	for name, change := range map[string]func(*Image){
		"as it is":                         func(*Image) {},
		"a resource that is absent":        func(i *Image) { i.Resources[0].Value = reflect.Value{} },
		"no resource":                      func(i *Image) { i.Resources = nil },
		"a target that died":               func(i *Image) { i.Archetypes[1].Targets[0].Entity = ent(4, 3) },
		"no target":                        func(i *Image) { i.Archetypes[1].Targets[0].Entity = Entity{} },
		"an archetype without rows":        func(i *Image) { i.Archetypes = append(i.Archetypes, ImageArchetype{}) },
		"the last free slot names anybody": func(i *Image) { i.Pool.Slots[6].ID = 77 },
	} {
		img := image()
		change(img)
		if err := ValidateImage(imageCatalog(Engine{DanglingTargets: true, MaxTypes: 3, RelationsPerEntity: 1}), img); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnUnsoundImageSaysWhatIsWrong(t *testing.T) {
	sound := Engine{Name: "fake", DanglingTargets: true, MaxTypes: 3, RelationsPerEntity: 1}
	for want, c := range map[string]struct {
		engine Engine
		change func(*Image)
	}{
		"8 entity slots are reserved, but there are only 7":                        {sound, func(i *Image) { i.Pool.Reserved = 8 }},
		"6 free entity slots are claimed, but there are only 7 slots":              {sound, func(i *Image) { i.Pool.Available = 6 }},
		"link 0 of the free list is slot 1, which does not exist":                  {sound, func(i *Image) { i.Pool.Next = 1 }},
		"link 1 of the free list is slot 7, which does not exist":                  {sound, func(i *Image) { i.Pool.Slots[4].ID = 7 }},
		"link 1 of the free list is slot 0, which does not exist":                  {sound, func(i *Image) { i.Pool.Slots[4].ID = 0 }},
		"the free list runs in a circle at slot 4":                                 {sound, func(i *Image) { i.Pool.Slots[4].ID = 4 }},
		"row 0 of archetype 0 is entity 1v9, which the entity table does not know": {sound, func(i *Image) { i.Archetypes[0].Entities[0] = ent(1, 9) }},
		"row 0 of archetype 0 is entity 7v0, which the entity table does not know": {sound, func(i *Image) { i.Archetypes[0].Entities[0] = ent(7, 0) }},
		"row 1 of archetype 0 is entity 3v1, which the entity table does not know": {sound, func(i *Image) { i.Archetypes[0].Entities[1] = ent(3, 1) }},
		"entity 2v1 is there twice, or free":                                       {sound, func(i *Image) { i.Archetypes[0].Entities[1] = ent(2, 1) }},
		"the entity table has 5 slots, of which rows and free list account for 4":  {sound, func(i *Image) { i.Pool.Available = 1 }},
		"archetype 0 has 1 components and 0 columns":                               {sound, func(i *Image) { i.Archetypes[0].Columns = nil }},
		"archetype 0 has component type 3, which this world does not know":         {sound, func(i *Image) { i.Archetypes[0].Components[0] = 3 }},
		"component type 1 is beyond the 1 types of fake":                           {Engine{Name: "fake", DanglingTargets: true, MaxTypes: 1}, func(*Image) {}},
		"archetype 1 has component type 0 twice":                                   {sound, func(i *Image) { i.Archetypes[1].Components[1] = 0 }},
		"the column of ecs.imgPos in archetype 0 is not a slice of ecs.imgPos":     {sound, func(i *Image) { i.Archetypes[0].Columns[0] = reflect.ValueOf([]int{1, 2}) }},
		"the column of ecs.imgPos in archetype 0 has 1 rows for 2 entities":        {sound, func(i *Image) { i.Archetypes[0].Columns[0] = reflect.ValueOf([]imgPos{{1}}) }},
		"archetype 1 is there twice":                                               {sound, func(i *Image) { i.Archetypes[1] = i.Archetypes[0] }},
		"archetype 1 has 2 relations, fake allows 1":                               {sound, func(i *Image) { two(i) }},
		"archetype 0 has a target for type 1, which is no relation of it":          {sound, func(i *Image) { i.Archetypes[0].Targets = i.Archetypes[1].Targets }},
		"archetype 0 has a target for type 0, which is no relation of it":          {sound, func(i *Image) { i.Archetypes[0].Targets = []Target{{Relation: 0}} }},
		"archetype 1 has two targets for one relation":                             {sound, func(i *Image) { a := &i.Archetypes[1]; a.Targets = append(a.Targets, a.Targets[0]) }},
		"archetype 1 has target 1v9, which the entity table does not know":         {sound, func(i *Image) { i.Archetypes[1].Targets[0].Entity = ent(1, 9) }},
		"archetype 1 has target 7v0, which the entity table does not know":         {sound, func(i *Image) { i.Archetypes[1].Targets[0].Entity = ent(7, 0) }},
		"archetype 1 has the dead target 3v5, which fake does not keep":            {Engine{Name: "fake"}, func(i *Image) { i.Archetypes[1].Targets[0].Entity = ent(3, 5) }},
		"archetype 0 has entities without components, which fake does not have":    {Engine{Name: "fake", NeedsComponent: true}, func(i *Image) { i.Archetypes[0].Components, i.Archetypes[0].Columns = nil, nil }},
		"resource type 1 is not known to this world":                               {sound, func(i *Image) { i.Resources[0].ID = 1 }},
		"resource type 0 is there twice":                                           {sound, func(i *Image) { i.Resources = append(i.Resources, i.Resources[0]) }},
		"the value of resource ecs.imgRes is a int":                                {sound, func(i *Image) { i.Resources[0].Value = reflect.ValueOf(4) }},
	} {
		img := image()
		c.change(img)
		err := ValidateImage(imageCatalog(c.engine), img)
		if !errors.Is(err, refusal.BadSnapshot) || !strings.HasSuffix(err.Error(), want) && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := ValidateImage(imageCatalog(sound), nil); !errors.Is(err, refusal.BadSnapshot) {
		t.Errorf("no image: %v", err)
	}
	// Two are as many as an engine of two relations allows.
	img := image()
	two(img)
	if err := ValidateImage(imageCatalog(Engine{DanglingTargets: true, RelationsPerEntity: 2}), img); err != nil {
		t.Error(err)
	}
}

// two gives the second archetype another relation.
func two(i *Image) {
	a := &i.Archetypes[1]
	a.Components, a.Columns = append(a.Components, 2), append(a.Columns, reflect.ValueOf([]imgRes{{}}))
}
