package shape

// Kind classes a value by how it is written.
type Kind uint8

// The kinds of value. Any is what nothing is known about.
const (
	Any Kind = iota
	Bool
	Int
	Number
	Text
	Label  // one of a list of words
	Entity // 42v3
	List
	Map
	Struct
)

// Shape is what a value may be.
type Shape struct {
	Kind Kind
	Doc  string
	Unit string

	// Min and Max bound an Int or a Number, as decimal text; "" is unbounded.
	// MinOpen and MaxOpen leave the bound itself out (numbers only).
	Min, Max         string
	MinOpen, MaxOpen bool
	// Typed says that the bounds are those of the number's type, which nobody
	// needs to be told.
	TypedMin, TypedMax bool
	// Special are the words that a Number may be: NaN, Infinity, -Infinity.
	Special []string
	// Duration integers may also be written 1.5s.
	Duration bool

	Labels []string
	// Numbers are those of the labels, which may be given instead. Open labels
	// leave numbers from 64 up and under -8 to whoever gives them.
	Numbers []string
	Open    bool
	// Literal labels are JSON as they stand: numbers, true.
	Literal bool

	// Slot entities may be a bare slot number, None ones null.
	Slot, None bool

	// Pattern is a regular expression that a Text has to contain a match of.
	Pattern string
	// Least and Most bound the length of a text (characters) or a list
	// (items); Most < 0 is unbounded.
	Least, Most int
	// Base64 texts are bytes, so many of them if that is fixed.
	Base64 bool
	Bytes  int

	Elem   *Shape  // of a List or Map
	Fields []Field // of a Struct
	// AtLeast so many fields have to be given, required ones included.
	AtLeast int
	// Vector lists and structs of numbers are also written "1 2 3".
	Vector bool
}

// Field is a named part of a Struct.
type Field struct {
	*Shape
	Name     string
	Required bool
}

// Field finds a part by its name.
func (s *Shape) Field(name string) *Field {
	if s == nil {
		return nil
	}
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i]
		}
	}
	return nil
}

// Scalar reports whether a value is one word or text.
func (s *Shape) Scalar() bool { return s.Kind >= Bool && s.Kind <= Entity }

// Inline reports whether a value stands in an XML attribute: scalars, and lists
// of words that no space can be part of.
func (s *Shape) Inline() bool { return s.Scalar() || s.Words() != nil }

// Words is what an attribute that holds a list holds a list of; nil if the
// value is no such list.
func (s *Shape) Words() *Shape {
	switch {
	case s.Kind == List && s.Elem.word():
		return s.Elem
	case s.Kind == Struct && s.Vector:
		return s.Fields[0].Shape
	}
	return nil
}

// WordCount bounds the words of a list in an attribute; most < 0 is unbounded.
func (s *Shape) WordCount() (least, most int) {
	if s.Kind == Struct {
		return len(s.Fields), len(s.Fields)
	}
	return s.Least, s.Most
}

// KeyClash tells a struct that cannot have its key in a map beside its own
// attributes.
func (s *Shape) KeyClash() bool { return s.Kind == Struct && s.Field("key") != nil }

func (s *Shape) word() bool {
	switch s.Kind {
	case Bool, Int, Number, Entity:
		return true
	case Label:
		for _, l := range s.Labels {
			if !plainWord(l) {
				return false
			}
		}
		return true
	}
	return false
}

func plainWord(s string) bool {
	for _, r := range s {
		if r <= ' ' || r == ',' || r == ';' || r == '[' || r == '{' {
			return false
		}
	}
	return s != ""
}
