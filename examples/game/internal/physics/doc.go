// Package physics finds contacts and casts rays among circles and boxes in the
// plane. It knows no entities and no time: fill a [Space], ask it, fill it
// again.
//
//	s := physics.NewSpace(0, 0, 640, 360, 32)
//	s.Reset()
//	s.Add(physics.Body{X: 100, Y: 50, R: 8, Mask: 1})
//	s.Add(physics.Body{X: 200, Y: 50, HX: 16, HY: 16, Mask: 2})
//	s.Build()
//	hit, ok := s.Raycast(0, 50, 640, 50, physics.All)
//
// Everything depends only on the bodies and the order in which they were
// added, so that a simulation on top of it can be deterministic. A Space is for
// one goroutine at a time.
package physics
