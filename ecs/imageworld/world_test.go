package imageworld_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/ecs/imageworld"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

type childOf struct{ mapworld.Relation }

// seen is a live world that is only looked at through images of it.
type seen struct {
	ecs.World // the image
	live      *mapworld.World
}

func (s *seen) look() {
	img := new(ecs.Image)
	if err := s.live.Capture(img); err != nil {
		panic(err)
	}
	s.World = imageworld.New(s.live.Catalog(), img)
}

func (s *seen) Apply(changes []ecs.Change) ([]ecs.Entity, error) {
	es, err := s.live.Apply(changes)
	if err == nil {
		s.look()
	}
	return es, err
}

// An image shows what the world showed, by the rules that hold for live worlds.
func TestObserving(t *testing.T) {
	ecstest.RunObserving(t, func(testing.TB) ecstest.Fixture {
		w := mapworld.New(append(ecstest.Components(), reflect.TypeFor[childOf]())...)
		w.AddResource(&ecstest.Score{Points: 7})
		w.RegisterResource(reflect.TypeFor[ecstest.Absent]())
		s := &seen{live: w}
		s.look()
		return ecstest.Fixture{World: s}
	})
}

// A world read through an image has the hash of the world that was captured.
func TestEqualsTheCaptured(t *testing.T) {
	w := mapworld.New(append(ecstest.Components(), reflect.TypeFor[childOf]())...)
	w.AddResource(&ecstest.Score{Points: 7, Names: []string{"a"}})
	pos := ecs.Value{Type: 0, Value: reflect.ValueOf(ecstest.Position{X: 3})}
	if _, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Count: 3, Values: []ecs.Value{pos}}, {Op: ecs.OpSpawn}}); err != nil {
		t.Fatal(err)
	}
	var img ecs.Image
	if err := w.Capture(&img); err != nil {
		t.Fatal(err)
	}
	if then := imageworld.New(w.Catalog(), &img); ecstest.Hash(then) != ecstest.Hash(w) {
		t.Error("the image's hash differs from the world's")
	}
}

func ExampleNew() {
	type Position struct{ X, Y int }
	w := mapworld.New(reflect.TypeFor[Position]())
	at := func(x int) []ecs.Value { return []ecs.Value{{Type: 0, Value: reflect.ValueOf(Position{X: x})}} }
	es, _ := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Values: at(1)}})
	var img ecs.Image
	if err := w.Capture(&img); err != nil {
		fmt.Println(err)
	}
	if _, err := w.Apply([]ecs.Change{{Op: ecs.OpSet, Entity: es[0], Values: at(2)}, {Op: ecs.OpSpawn, Values: at(3)}}); err != nil {
		fmt.Println(err)
	}
	then := imageworld.New(w.Catalog(), &img)
	c, row, _ := then.Row(es[0])
	col, _ := c.Column(0)
	_, err := then.Apply(nil)
	fmt.Println(then.Catalog().Entities.Alive, col.Value(reflect.TypeFor[Position](), row), row, col.Stride, errors.Is(err, refusal.ReadOnly))
	// Output: 1 {1 0} 0 16 true
}
