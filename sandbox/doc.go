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
// *ecs.Error.
//
// # The language
//
// Lua 5.1 as gopher-lua has it (with goto), statements or an expression alone,
// with base, string, table, math, coroutine and os.time, os.clock, os.date,
// os.difftime. There is no io, package, debug, load, loadstring, dofile, require,
// collectgarbage, getfenv or newproxy. table.unpack, table.pack and a base for
// math.log are there besides. tostring(0.1 + 0.2) is 0.30000000000000004, the
// shortest text that reads back.
//
// Globals persist from call to call until Reset, functions and coroutines
// among them. The libraries do not: every call starts with pristine ones,
// whatever an earlier call did to them. A function kept in a global sees the
// new libraries through its globals; one that kept a library in a local has
// the one it was born with. A chunk keeps the globals it was compiled under,
// even if Reset comes before it runs. A coroutine cannot yield across pcall, a
// metamethod, an iterator, or a callback of sort or gsub.
//
// # The world
//
//	for e in world.query{with={"Enemy"}, without=, where=, target=, relation=, name=, exclusive=} do
//	  e.Health.HP = e.Health.HP - 1           -- at once, checked for type and range
//	end
//
// world.query also takes names alone, world.query("Enemy", "Health") or
// world.query{"Enemy", where="Health.HP < 5"}. #q is its length, q[1] and
// q:first() its first entity; q can be looped over again. The rows are noted
// when the query is asked: no query of the engine is open while Lua runs.
// world.count takes the same and gives the number.
//
// An entity e has e.id ("42v3"), e.name, e.components, e.Component (nil if it
// has none), e:has(C), e:get(C), e:add(C, fields, target), e:remove(C),
// e:despawn(), e:alive(), e:target(C), e:retarget(C, target). Assigning
// e.Component = {...} replaces the whole, or adds it; nil removes it. pairs(e)
// visits its components.
//
// A component refers to the world, it is no copy: e.Inventory.Slots[1].Count
// reads and writes in place. Lists count from 1, as everywhere in Lua (the
// where expressions of tools are Go and count from 0); reading past the end
// gives nil, writing there is refused. Assigning nil to an entry of a map takes
// it out. pairs, ipairs and # work on components,
// structs, lists and maps. Enumerations read as labels. A field that holds an
// entity reads as an entity, or nil. Computed values read like fields; actions
// are called e.Health:Damage{amount=5}.
//
// world.spawn{Position={X=1}, "Player", target=e} gives the entity, which can
// be used and changed at once; its id is "spawned#1" until it exists, and
// results and printed text get the real id. world.entity("42v3") is nil for a
// dead one. world.resource("Score").Points reads and writes; a resource that is
// no struct has .value. world.components() lists the component types.
// world.tool("name", {args}) calls a tool of the host.
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
