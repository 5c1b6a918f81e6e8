// Package value knows Go types: it describes a type once, and reads, writes,
// copies and words its values. It knows no world; package ecs stands on it.
//
// # Descriptions
//
// [TypeOf] walks a Go type once and yields a [Type]: fields, kinds, ranges,
// units, labels, and three identities (ID by name, Shape by layout, SchemaID by
// layout and descriptions). Schemas, checks, documents, generated tools and
// snapshot columns all come from it. Struct tags say what Go cannot:
//
//	type Health struct {
//		HP  int `debug:"min=0,unit=hp" jsonschema:"hit points left"`
//		Max int `debug:"min=1,max=1000,unit=hp,default=100"`
//	}
//
// The options of the debug tag are min, max, unit, default, enum=Idle|Chase
// (enum=Off|Slow:5 gives a value), vector, readonly, hidden and dangling
// (entities in it may be dead). A number of a
// component whose range excludes zero, and that has no default, starts at the
// bound nearest to zero: min=1 alone means 1. What belongs to
// the type is declared in an init function:
//
//	func init() {
//		value.Describe(
//			value.Doc[Health]("How much an entity can still take."),
//			value.Computed("Ratio", func(h *Health) float64 { return float64(h.HP) / float64(h.Max) }, "part left"),
//			value.Action("Heal", func(h *Health, in HealArgs) (HealResult, error) { ... }, "Adds hit points."),
//			value.Label(func(h *Health) string { return "" }),
//		)
//	}
//
// Labels of integer types come from [EnumLabels], else from their String
// method, which is asked for 0 to 63. [ArgsOf] describes the arguments or the
// result of a tool: the same walk, with the names of JSON tags. A fault in a
// declaration never stops anything; it is kept in [Type.Problems].
//
// # Values
//
// [AppendJSON] and [Type.DecodeJSON] are compiled per type and inverse to each
// other: encoding a value and decoding the text gives the same bits.
//
//	bool, string, numbers          as they are; shortest floats; -0.0 keeps its sign
//	NaN, +Inf, -Inf                "NaN", "Infinity", "-Infinity"
//	integers beyond ±(2^53-1)      decimal strings
//	text that is not UTF-8         {"$bytes":"<base64>"}; as a map key "$bytes:<base64>"
//	[]byte, [N]byte with N > 16    base64; in bulk cut at 256 bytes: {"$bytes":..., "$len":n}
//	complex numbers                [real, imaginary]
//	entities                       "42v3", null for none; as a map key "42v3"
//	integers with labels           the label; a value without one stays a number
//	struct, array, slice, map      object, array, array, object with sorted keys
//	nil slice, map, pointer        null
//	pointer                        its target; {"$ref":"path"} for a cycle, {"$more":n} past 8 pointers
//	interface                      {"$type":"game.Sword","value":...}
//	MarshalText, MarshalJSON       their own text
//	func, chan, locks              {"$opaque":"func(int)"}
//
// A map key that looks like a reserved one ("$ref") is written with another "$"
// in front. Placeholders that come back ($ref, $more, $opaque, a cut $bytes)
// keep what the base value has there and are refused where it has nothing. Two
// limits of the form: a pointer to a nil pointer reads back as a nil pointer,
// and a NaN loses its payload.
//
// Input is taken leniently where the target leaves no doubt: numbers as text, an
// object or list as a JSON string, a vector as "2 2" or [2,2], a duration as
// "1.5s", a field of an embedded struct by its own name (X for Vec.X, but not
// both), in arguments one string for a list of one. Everything else is an [*refusal.Error] that says the path, what was got, what
// is wanted and the real options; beside a component's refusal stands its
// [Guide]. Duplicate keys, fractions for integers, numbers out of range or
// width, and text that is no Unicode are refused. Nothing panics.
//
// # Paths, copies, comparisons
//
// [Type.Path] compiles a Go selector (Slots[2].Count, Tags["fire"],
// Weapon.(game.Sword).Edge, a promoted field, a computed value); [Path.Fixed]
// gives kernels a byte offset, Get, Set, Decode, FromGo and ToGo the value.
// Writes are typed assignments, so that the collector's barriers hold; never
// copy memory into a column whose type is not [Type.PointerFree].
//
// The frame goroutine takes values out with [Copy] or [CopyColumn]; encoding
// them is then work for any other goroutine.
// [FieldValue] reaches unexported fields: shown for every type, writable where
// the type belongs to the game's own module.
package value
