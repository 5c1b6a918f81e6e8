package mapworld_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
)

type childOf struct{ mapworld.Relation }

type likes struct {
	mapworld.Relation
	Much int
}

func TestConformance(t *testing.T) {
	ecstest.Run(t, func(testing.TB) ecstest.Fixture {
		w := mapworld.New(append(ecstest.Components(), reflect.TypeFor[childOf](), reflect.TypeFor[likes]())...)
		w.AddResource(&ecstest.Score{Points: 7})
		w.RegisterResource(reflect.TypeFor[ecstest.Absent]())
		return ecstest.Fixture{World: w, Lock: w.Lock, Value: w.Value}
	})
}

// An engine whose columns are pointers passes as well.
func TestConformanceBoxed(t *testing.T) {
	ecstest.Run(t, func(testing.TB) ecstest.Fixture {
		w := mapworld.New(append(ecstest.Components(), reflect.TypeFor[childOf](), reflect.TypeFor[likes]())...)
		w.AddResource(&ecstest.Score{Points: 7})
		w.RegisterResource(reflect.TypeFor[ecstest.Absent]())
		return ecstest.Fixture{World: ecstest.Boxed(w), Lock: w.Lock, Value: w.Value}
	})
}

func ExampleNew() {
	type Position struct{ X, Y int }
	w := mapworld.New(reflect.TypeFor[Position]())
	es, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Values: []ecs.Value{{Type: 0, Value: reflect.ValueOf(Position{1, 2})}}}})
	fmt.Println(es, err, w.Catalog().Entities.Alive)
	// Output: [1v0] <nil> 1
}
