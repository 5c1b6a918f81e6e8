// Package conformance holds what the protocol's official test suite expects of
// a server to find: tools, resources and prompts with fixed names and answers.
// They are registered as any host registers its own, and answered inside a
// frame loop, so the suite tests the same paths that a game uses.
//
//	reg := tools.NewRegistry()
//	conformance.Register(reg)
//	dbg, err := mcpdebug.Listen("127.0.0.1:0", &mcpdebug.Options{Registry: reg})
//
// The command in server serves them; scripts/conformance.sh runs the suite
// against it.
package conformance
