// Package watch tells who changed a value. A [Set] holds watches: on a field of
// an entity, on a whole component (its coming and going too), on an entity's
// life, on a resource, or on how many entities match a condition.
//
//	set := watch.NewSet(watch.Options{Log: log})
//	id, err := set.Add(world, app, watch.Spec{Entity: "42v3", Path: "Health.HP", When: "new < old"})
//	...
//	for _, h := range set.Hits(id, 0) {
//		fmt.Println(h.Tick, h.System, h.Old, h.New)
//	}
//
// Who it was is found by looking: a watch by system looks at the value at every
// boundary between two systems ([schedule.Hook]), so that a difference is the
// work of the system between; around every client's call, so that a difference
// is the call's; and at each Poll. What changed between two looks with neither
// is named "outside systems". Where the host's systems have no hook, and for
// watches by tick, the tick is all that can be said.
//
// A look at a plain value costs about ten nanoseconds and nothing is allocated
// unless something has changed. Values with pointers are compared with a copy,
// deeply.
//
// An entity is followed wherever its row moves. When it dies the watch says so,
// names who took its slot if somebody has, and ends: another entity's value is
// never taken for it.
//
// A Set's methods belong to the frame goroutine, but for [Set.List] and
// [Set.Hits], which any goroutine may call, and [Compile].
package watch
