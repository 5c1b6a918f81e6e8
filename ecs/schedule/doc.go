// Package schedule runs named systems in phases, for hosts that have no
// schedule of their own.
//
// A [Schedule] knows each system's name, so that a profile, a list of frame
// times and a crash can name the system: it measures every run, labels the
// goroutine for the CPU profiler and remembers which system was running.
//
//	s := schedule.New("input", "movement", "render")
//	s.Add("movement", "movement", func() { move(&world) }, schedule.Writes("Position"))
//	s.Add("render", "draw", draw)
//
//	for frame := uint64(1); running; frame++ {
//		dbg.Poll()
//		s.Frame(frame)
//		dbg.Guard(func() { s.Run() })
//	}
//
// [Schedule.Frame], [Schedule.Run], [Schedule.Add], [Schedule.List] and
// [Schedule.SetEnabled] belong to the frame goroutine. [Schedule.Running] and
// [Schedule.History] may be called from any goroutine, also while a system
// hangs: the frame goroutine publishes times with atomic stores and takes no
// lock.
//
// [Schedule.Observe] lets somebody look at the boundaries between systems, so
// that a change can be laid at the door of the system that made it.
//
// The cost per system and run is two clock reads, two atomic stores and one
// label switch; nothing is allocated.
package schedule
