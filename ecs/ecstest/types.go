package ecstest

import "reflect"

// The component types of the kit.
type (
	// Position is plain data.
	Position struct{ X, Y float64 }
	// Velocity is plain data of another size.
	Velocity struct{ X, Y float32 }
	// Health is plain data with padding-free integers.
	Health struct{ HP, Max int }
	// Flag has no data.
	Flag struct{}
	// Blob is larger than a word and holds no pointer.
	Blob [40]byte
	// Name is not a struct.
	Name string
	// Bag holds every kind of pointer.
	Bag struct {
		Items  []Item
		Counts map[string]int
		Note   string
		Next   *Bag
		Any    any
		hidden []int
	}
	// Item is an element of a Bag.
	Item struct {
		Label string
		Count int
	}
	// Unused is registered and never added by the kit.
	Unused struct{ V int }
)

// Score is the resource that is present.
type Score struct {
	Points int
	Names  []string
}

// Absent is the resource type that is registered and has no value.
type Absent struct{ V int }

// Components lists the component types a fixture registers, in this order or
// any other. Relation types come from the engine besides.
func Components() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[Position](), reflect.TypeFor[Velocity](), reflect.TypeFor[Health](), reflect.TypeFor[Flag](),
		reflect.TypeFor[Blob](), reflect.TypeFor[Name](), reflect.TypeFor[Bag](), reflect.TypeFor[Unused](),
	}
}

func newBag(n int) Bag {
	tag := string(rune('a' + n%26))
	return Bag{
		Items:  []Item{{Label: "item-" + tag, Count: n}, {Label: tag, Count: -n}},
		Counts: map[string]int{tag: n, "n": n},
		Note:   "note-" + tag,
		Next:   &Bag{Note: "next-" + tag, hidden: []int{n}},
		Any:    Item{Label: tag, Count: n},
		hidden: []int{n, n + 1},
	}
}

// check reports what of a bag made by newBag(n) is not as it was made.
func (b *Bag) check(n int) string {
	want := newBag(n)
	if !reflect.DeepEqual(*b, want) {
		return "a component that holds pointers came to harm"
	}
	return ""
}
