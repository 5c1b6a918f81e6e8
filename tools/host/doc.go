// Package host is what a game may tell the debug server about itself beside its
// world, and lets it do: an [App] with parts, all of them optional.
//
//	clock := &host.StepClock{}
//	dbg.Bind(archeworld.New(&world), &host.App{
//		Name:    "arena",
//		Summary: func() any { return map[string]any{"wave": wave, "score": score} },
//		Clock:   clock,
//		Systems: sched, // a *schedule.Schedule
//	})
//
// Each part is a small interface with a snippet to begin from: time ([Clock];
// [StepClock] is one that is ready), [Systems], [States], [EventSink], [Camera],
// [Layers], [Materials], [Render], [Physics], [Audio], [Screen]. What is not
// there has no tools, and capabilities says what would bring them. Some parts can
// say more if they implement more: a Clock that is a [Replayer], Systems with
// [SystemTimes] or [SystemHooks], States with [StateHistory].
//
// Everything is called on the frame goroutine, inside Poll, except where a method
// says otherwise. Tools of the game's own are made with package tools.
package host
