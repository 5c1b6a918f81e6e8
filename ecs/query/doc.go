// Package query finds entities: by components, label, relation target and
// conditions over the values of their fields. The world tools and the Lua
// sandbox share it.
//
//	plan, err := query.Compile(world.Catalog(), query.Query{
//		Without: []string{"Player"},
//		Where:   `Health.HP < Health.Max/2 && Enemy.Kind == "Brute"`,
//	})
//	if err != nil {
//		return err // says what is wrong, where, and what would be right
//	}
//	plan.Each(world, func(c ecs.Chunk, rows []int32) bool {
//		for _, row := range rows {
//			fmt.Println(c.Entity(int(row)))
//		}
//		return true
//	})
//
// A [Plan] is compiled off the frame goroutine and run on it: [Plan.Each],
// [Plan.Rows] (which goes on counting), [Plan.Count], [Plan.Top] (the first k
// in an [Order]) and [Plan.Explain].
//
// # The language of Where
//
// A Go boolean expression. Operands:
//
//	Health.HP, game.Health.HP        fields; through pointers, as in Go
//	Inventory.Slots[0].Count         elements, by a literal index
//	Inventory.Tags["fire"]           map values, by a literal key
//	Weapon.Held.(game.Sword).Edge    what an interface holds, if it is that
//	Health.Ratio                     computed values
//	1, 1.5, "text", true             literals
//	"Brute", Brute                   a label, compared with a labelled field
//	Score.Points                     a resource's field, the same for every entity
//	"42v3", nil (or null)            an entity, compared with an entity field
//	entity                           the row's own entity
//
// Operators: + - * / % & | ^ &^, == != < <= > >=, && || !, parentheses.
// Functions: has(Component), len(x), isnan(x), isinf(x), abs(x), sqrt(x),
// floor(x), float(x), int(x), alive(entity), contains(text, "part"),
// hasPrefix, hasSuffix, and where two moments are at hand ([Query.LookBack])
// prev(x): the same entity's x, or the resource's, a moment before.
//
// Every component that the expression names is required, as if it stood in
// With, except those it asks has() about: entities without them are looked at
// too.
//
// A comparison that cannot be made for an entity (it lacks an optional
// component, an index is out of range, a map has no such key, a pointer is
// nil, an integer is divided by zero, a computed value panics, the
// entity or the resource was not there a moment before) is false,
// whatever the operator; its negation with ! is therefore true.
//
// # Numbers
//
// Integers are computed in 64 bits and wrap. Comparing an integer with a
// constant is exact, also with 7.5 and 1e300: nothing is rounded to float64
// for it. An int64 and a uint64 field compare exactly. / between integers
// drops the fraction, as in Go; that such a quotient meets a fraction is
// refused, because it is nearly always a slip: write float(a)/b. An integer
// meets a float by becoming a float64, which rounds beyond 2^53. A float32
// field compares with a constant as in Go, the constant rounded to float32. A
// float divided by zero is an infinity or NaN.
//
// # Cost
//
// A comparison of a field with a constant runs at the speed of a loop written
// for it, over blocks of 1024 rows; arithmetic runs vector by vector. Values
// behind slices, maps, pointers and computed ones cost a reflective read a
// row and are asked last. Nothing is allocated per chunk, nothing is
// registered with the engine.
package query
