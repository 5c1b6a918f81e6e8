// Package blame finds who made the last changes of a value after the fact: from
// a recording, and by running the ticks in question again with somebody looking
// between the systems.
//
//	q, err := blame.Ask(ctx, recorder, compiled, blame.Options{Count: 3})   // any goroutine
//	for done := false; !done; {
//		done, err = q.Step(world, app, budget)                       // frame goroutine
//	}
//	for _, c := range q.Changes() {
//		fmt.Println(c.Tick, c.System, c.From, c.To, c.How)
//	}
//
// The samples give the tick: the last two between which the value differs. What
// a client's call did lies between two samples of one tick. Otherwise the world
// of the earlier sample is put in place, its inputs are played, the ticks up to
// the later one are run, and the present is put back ([replay.Aside]). If that
// leads to exactly what was recorded the answer is certain ([Reexecuted]); if
// not, or if the game cannot run ticks on demand, it is what the samples say
// ([Sampled]).
package blame
