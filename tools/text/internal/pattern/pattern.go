package pattern

type op uint8

const (
	literal op = iota
	class
	sequence
	choice
	repeat
	space // optional white space
	gap   // white space
)

// P is a pattern. The zero value matches the empty text.
type P struct {
	op       op
	text     string // literal
	ranges   []rune // class: pairs
	not      bool   // class
	parts    []P
	min, max int // repeat; max < 0: any number
}

// Lit matches a text.
func Lit(s string) P { return P{op: literal, text: s} }

// Class matches one character of the ranges, given in pairs: "azAZ__".
func Class(pairs string) P { return P{op: class, ranges: []rune(pairs)} }

// Not matches one character outside the ranges.
func Not(pairs string) P { return P{op: class, ranges: []rune(pairs), not: true} }

// Seq matches its parts one after the other.
func Seq(parts ...P) P {
	if len(parts) == 1 {
		return parts[0]
	}
	return P{op: sequence, parts: parts}
}

// Alt matches one of its parts.
func Alt(parts ...P) P {
	if len(parts) == 1 {
		return parts[0]
	}
	return P{op: choice, parts: parts}
}

// Words matches one of the texts.
func Words(texts ...string) P {
	parts := make([]P, len(texts))
	for i, t := range texts {
		parts[i] = Lit(t)
	}
	return Alt(parts...)
}

// Rep matches p at least min and at most max times; max < 0 is any number.
func Rep(p P, min, max int) P { return P{op: repeat, parts: []P{p}, min: min, max: max} }

// Opt matches p or nothing.
func Opt(p P) P { return Rep(p, 0, 1) }

// Many matches p any number of times.
func Many(p P) P { return Rep(p, 0, -1) }

// Some matches p once or more.
func Some(p P) P { return Rep(p, 1, -1) }

// Space is white space that may be absent, Gap white space that may not.
func Space() P { return P{op: space} }

// Gap is white space.
func Gap() P { return P{op: gap} }

// Digit is one decimal digit.
func Digit() P { return Class("09") }
