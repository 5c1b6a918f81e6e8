package ecs_test

import (
	"fmt"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
)

type Slot struct {
	Item  string
	Count int
}

type Inventory struct{ Slots []Slot }

// A catalog finds components, and paths inside them, by any of their names.
func ExampleCatalog_ComponentPath() {
	cat := ecs.NewCatalog(ecs.Catalog{Components: []*ecs.Component{{Type: value.TypeOf(reflect.TypeFor[Inventory]())}}})
	comp, path, err := cat.ComponentPath("Inventory.Slots[2].Count")
	fmt.Println(comp.Name, path.Text, path.Type(), err)

	_, _, err = cat.ComponentPath("Inventory.Slots[2].Coutn")
	fmt.Println(err)
	_, err = cat.Component("Inventry")
	fmt.Println(err)
	// Output:
	// Inventory Slots[2].Count int <nil>
	// Inventory.Slots[2] has no field "Coutn"; it has Count, Item
	// there is no component "Inventry"
}
