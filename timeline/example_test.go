package timeline_test

import (
	"context"
	"fmt"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/ecstest/mapworld"
	"github.com/loupe-ecs/loupe/timeline"
)

func ExampleRecorder() {
	type Health struct{ HP int }
	w := mapworld.New(reflect.TypeFor[Health]())
	hp := func(n int) []ecs.Value { return []ecs.Value{{Type: 0, Value: reflect.ValueOf(Health{n})}} }
	es, err := w.Apply([]ecs.Change{{Op: ecs.OpSpawn, Values: hp(100)}})
	if err != nil {
		fmt.Println(err)
	}

	rec := timeline.NewRecorder(nil)
	rec.Bind(w, nil)
	if err := rec.Start(timeline.Options{}, 0); err != nil {
		fmt.Println(err)
	}
	for tick := 1; tick <= 60; tick++ { // the game: something takes 3 hp a tick
		if _, err := w.Apply([]ecs.Change{{Op: ecs.OpSet, Entity: es[0], Values: hp(100 - 3*tick)}}); err != nil {
			fmt.Println(err)
		}
		rec.EndTick(uint64(tick))
		rec.Flush(context.Background()) // a game does not wait
	}

	line := rec.Line()
	from, _ := line.Find(0)
	to, _ := line.Find(60)
	for c := line.Walk(from, to); c.Next(); {
		chunk, row, _ := c.World().Row(es[0])
		col, _ := chunk.Column(0)
		if h := (*Health)(col.At(row)); h.HP <= 0 {
			fmt.Println("dead since tick", c.Ref().Tick)
			break
		}
	}
	_, err = line.Find(1000)
	fmt.Println(err)
	// Output:
	// dead since tick 34
	// tick 1000 has not been recorded: the recording reaches from tick 0 to 60 and the world is at tick 60
}
