// Package profiling runs profile sessions of the own process and sums them up:
// by function and by the schedule's system label.
//
// The runtime has one CPU profiler a process. A profile that somebody else
// runs is a conflict ([ErrInUse]) and is never stopped from here. Any
// goroutine may call anything in this package; nothing needs the frame.
package profiling
