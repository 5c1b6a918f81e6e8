package tools

// Effect says what calls of a tool change.
type Effect uint8

const (
	// Destructive calls may change or remove what is there. It is the default, as
	// it is the protocol's: a tool has to say that it is milder.
	Destructive Effect = iota
	// Additive calls change things and lose nothing: they add, start or mark.
	Additive
	// ReadOnly calls change nothing, files included. It grants no permission by
	// itself; a read-only server offers no others.
	ReadOnly
)

// String is the effect in a word or two.
func (e Effect) String() string {
	switch e {
	case ReadOnly:
		return "read-only"
	case Additive:
		return "additive"
	}
	return "destructive"
}
