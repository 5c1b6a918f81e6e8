package structworld_test

import (
	"reflect"
	"testing"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest"
	"github.com/loupe-ecs/loupe/ecs/structworld"
)

// parts has the kit's types in containers of every sort.
type parts struct {
	pos    []ecstest.Position
	vel    []*ecstest.Velocity
	hp     map[string]*ecstest.Health
	flag   []ecstest.Flag
	blob   map[uint16]*ecstest.Blob
	name   []*ecstest.Name
	bag    []ecstest.Bag
	unused []*ecstest.Unused
	score  ecstest.Score
}

func (p *parts) fixture(testing.TB) ecstest.Fixture {
	p.score.Points = 7
	w := structworld.New(
		structworld.Slice("Position", &p.pos), structworld.Pointers("Velocity", &p.vel), structworld.Map("Health", &p.hp),
		structworld.Slice("Flag", &p.flag), structworld.Map("Blob", &p.blob), structworld.Pointers("Name", &p.name),
		structworld.Slice("Bag", &p.bag), structworld.Pointers("Unused", &p.unused),
		structworld.Resource(&p.score), structworld.Resource[ecstest.Absent](nil))
	return ecstest.Fixture{World: w, Value: func(e ecs.Entity, t reflect.Type) any {
		_, row, ok := w.Row(e)
		if !ok {
			return nil
		}
		switch t {
		case reflect.TypeFor[ecstest.Position]():
			return &p.pos[row]
		case reflect.TypeFor[ecstest.Bag]():
			return &p.bag[row]
		}
		return nil
	}}
}

func TestConformance(t *testing.T) {
	ecstest.Run(t, func(tb testing.TB) ecstest.Fixture { return new(parts).fixture(tb) })
}
