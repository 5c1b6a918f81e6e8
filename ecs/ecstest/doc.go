// Package ecstest is the conformance kit for adapters: what makes an
// implementation of ecs.World right, as test cases that say which rule they
// hold. An adapter proves itself in its own tests:
//
//	func TestConformance(t *testing.T) {
//		ecstest.Run(t, func(tb testing.TB) ecstest.Fixture {
//			w := engine.NewWorld()
//			for _, c := range ecstest.Components() {
//				engine.Register(w, c) // and up to two relation types of the engine's own
//			}
//			engine.AddResource(w, &ecstest.Score{Points: 7})
//			engine.RegisterResource[ecstest.Absent](w)
//			return ecstest.Fixture{World: myadapter.New(w), Lock: func() func() { ... }}
//		})
//	}
//
// [Run] needs the component types of [Components], at least one relation type
// if the engine has relations, and the resources [Score] (present) and
// [Absent] (registered, not present). What a [Fixture] leaves out, or a world
// does not implement, must be declared in Engine.Cannot: the kit logs the
// declaration in place of the case, and fails when there is none.
//
// [Hash] digests a whole world and is of use to any test that must show that
// something changed nothing. Package mapworld is a small adapter over Go maps:
// an example to copy, and a world for tests that need no engine.
package ecstest
