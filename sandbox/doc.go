// Package sandbox runs Lua on a game's world so that a script's mistakes cost
// the game at most one long frame. It limits accidents and is no security
// boundary: a script sees and changes the whole world, the code that bounds it
// shares the process with the game, and somebody determined will find a way
// through. Do not feed it scripts of people you would not let into the game.
//
//	s := sandbox.New(sandbox.Options{})            // once
//	chunk, err := s.Compile(code)                  // any goroutine
//	res, err := s.Run(sandbox.Env{World: world}, chunk, sandbox.RunOptions{}) // the frame goroutine
//	json.Marshal(res)                              // any goroutine again
//
// Compile parses, checks, rewrites and compiles, and makes an interpreter
// ready; Run executes, applies the changes and copies the values out; Result
// is detached from everything. Reset forgets the globals. All errors are
// *refusal.Error.
//
// # The language
//
// [Manual] tells scripts' authors what Lua and the world offer; it is the file
// manual.md, whose examples the tests run. In short: Lua 5.1,
// without io, package, debug and load, with goto. The tree is mended before
// gopher-lua compiles it, whose compiler is wrong in ways that end well; make
// fuzz-lua compares generated programs with the reference implementation. What
// differs: tostring(0.1 + 0.2) is 0.30000000000000004, the shortest text that
// reads back where 14 digits do not; -0 is 0; # honours __len; the limits of a
// numeric for must be numbers, not strings.
//
//	for e in world.query{with={"Enemy"}} do
//	  e.Health.HP = e.Health.HP - 1           -- at once, checked for type and range
//	end
//
// Globals persist from call to call until Reset, functions and coroutines
// among them. The libraries do not: every call starts with pristine ones,
// whatever an earlier call did to them. A function kept in a global sees the
// new libraries through its globals; one that kept a library in a local has
// the one it was born with. A chunk keeps the globals it was compiled under,
// even if Reset comes before it runs. A coroutine cannot yield across pcall, a
// metamethod, an iterator, or a callback of sort or gsub.
//
// The rows of a query are noted when it is asked: no query of the engine is
// open while Lua runs.
//
// # All or nothing
//
// Field writes happen at once and are logged; spawning, despawning, adding and
// removing go to a buffer that is applied whole when the script has ended
// well. Queries do not see the buffer, save that entities the script has
// despawned are skipped. A script that fails, and a dry run, leave the world as
// it was: what slices, pointers and nil maps referred to is put back itself,
// the contents of maps as equal copies. world.flush() applies the buffer
// earlier and makes everything so far permanent, and so does a tool that
// changes things; both are reported as Flushed. What an action does beyond its
// component cannot be undone; actions and such tools are refused in dry runs.
//
// # Limits
//
// Options lists them. Time, steps and memory are looked at before every
// instruction and inside every library function that loops; once one is
// exceeded, everything the script still tries fails, in pcall and coroutines
// too. Patterns are matched by a matcher of its own that can be interrupted.
// Memory is the growth of the whole process's heap: another goroutine that
// allocates a lot meanwhile counts. The hooks CallTool and actions run to
// their end, whatever the limits.
//
// gopher-lua keeps one relevant limit in a variable for the whole process:
// this package sets lua.MaxArrayIndex to 2^19, so that t[67108863] = 1 does not
// allocate a gigabyte. Sequences are reliable up to that length.
package sandbox
