package main

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strings"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/mcpdebug"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/tools/host"
)

// grown is one thing whose time is followed as the world grows.
type grown struct {
	name string
	run  func(s *mcpdebug.Server, w ecs.World) op
}

func dispatched(body string) func(*mcpdebug.Server, ecs.World) op {
	return func(s *mcpdebug.Server, _ ecs.World) op {
		return func(n int) {
			for range n {
				if s.Dispatch(body) == "" {
					panic("no answer")
				}
			}
		}
	}
}

func list() []grown {
	return []grown{
		{"query", dispatched(callBody("query", struct{}{}))},
		{"query_where", dispatched(callBody("query", map[string]string{"where": "Health.HP < 10"}))},
		{"save", func(_ *mcpdebug.Server, w ecs.World) op {
			var b bytes.Buffer
			return func(n int) {
				for range n {
					b.Reset()
					if _, err := snapshot.Save(&b, w, nil); err != nil {
						panic(err)
					}
				}
			}
		}},
		{"tools_list", dispatched(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)},
		{"components_info", dispatched(callBody("components_info", struct{}{}))},
	}
}

// growth is how time grows with entities, and with component types. An
// exponent of 0 does not grow, 1 grows in proportion.
func growth(c *config) ([]line, error) {
	short := *c
	short.rounds, short.slice = max(3, c.rounds/3), c.slice/2
	var lines []line
	byEntities, err := follow(&short, []int{c.size(1000), c.size(10_000), c.size(100_000), c.size(million)}, func(n int) ecs.World { return newArche(n).loupe })
	if err != nil {
		return nil, err
	}
	byTypes, err := follow(&short, []int{10, 200}, func(n int) ecs.World { return manyTypes(n) })
	if err != nil {
		return nil, err
	}
	for i, g := range list() {
		lines = append(lines, byEntities[i].line("growth_"+g.name, "entities"), byTypes[i].line("growth_"+g.name+"_types", "component types"))
	}
	return lines, nil
}

type curve struct {
	at    []int
	times []float64
}

func follow(c *config, sizes []int, world func(int) ecs.World) ([]curve, error) {
	curves := make([]curve, len(list()))
	for _, size := range sizes {
		w := world(size)
		s := mcpdebug.New(nil)
		s.Bind(w, &host.App{Name: "benchmark"})
		s.Poll()
		// Once with the answer checked.
		for _, tool := range []string{"query", "components_info"} {
			if err := succeeded(s.Dispatch(callBody(tool, struct{}{}))); err != nil {
				return nil, err
			}
		}
		if err := succeeded(s.Dispatch(callBody("query", map[string]string{"where": "Health.HP < 10"}))); err != nil {
			return nil, err
		}
		for i, g := range list() {
			curves[i].at = append(curves[i].at, size)
			curves[i].times = append(curves[i].times, medianOf(single(c, g.run(s, w))))
		}
		s.Close()
	}
	return curves, nil
}

func (c curve) line(name, of string) line {
	var points []string
	for i, n := range c.at {
		points = append(points, fmt.Sprintf("%s at %d", ns(c.times[i]), n))
	}
	return line{kind: "figure", name: name, value: c.exponent(), unit: "exponent", detail: fmt.Sprintf("by %s: %s", of, strings.Join(points, ", "))}
}

// exponent is the slope of log time over log size, by least squares.
func (c curve) exponent() float64 {
	var sx, sy, sxx, sxy float64
	n := float64(len(c.at))
	for i := range c.at {
		x, y := math.Log(float64(c.at[i])), math.Log(c.times[i])
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// manyTypes is 10,000 entities over n component types: all have Health, and
// every type is on some.
func manyTypes(n int) ecs.World {
	w := arche.NewWorld(1024)
	health := arche.ComponentID[Health](&w)
	types := distinct()[:n-1]
	for i, t := range types {
		id := arche.TypeID(&w, t)
		arche.NewBuilder(&w, health, id).NewBatch(10_000/len(types) + i%2)
	}
	return archeworld.New(&w)
}

// Component types that differ, without 200 declarations.
type (
	part[A, B any] struct{ X, Y float32 }
	d0             struct{}
	d1             struct{}
	d2             struct{}
	d3             struct{}
	d4             struct{}
	d5             struct{}
	d6             struct{}
	d7             struct{}
	d8             struct{}
	d9             struct{}
	da             struct{}
	db             struct{}
	dc             struct{}
	dd             struct{}
	de             struct{}
)

func withFirst[A any]() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[part[A, d0]](), reflect.TypeFor[part[A, d1]](), reflect.TypeFor[part[A, d2]](), reflect.TypeFor[part[A, d3]](), reflect.TypeFor[part[A, d4]](),
		reflect.TypeFor[part[A, d5]](), reflect.TypeFor[part[A, d6]](), reflect.TypeFor[part[A, d7]](), reflect.TypeFor[part[A, d8]](), reflect.TypeFor[part[A, d9]](),
		reflect.TypeFor[part[A, da]](), reflect.TypeFor[part[A, db]](), reflect.TypeFor[part[A, dc]](), reflect.TypeFor[part[A, dd]](), reflect.TypeFor[part[A, de]](),
	}
}

func distinct() (types []reflect.Type) {
	for _, row := range []func() []reflect.Type{withFirst[d0], withFirst[d1], withFirst[d2], withFirst[d3], withFirst[d4], withFirst[d5], withFirst[d6],
		withFirst[d7], withFirst[d8], withFirst[d9], withFirst[da], withFirst[db], withFirst[dc], withFirst[dd], withFirst[de]} {
		types = append(types, row()...)
	}
	return types
}
