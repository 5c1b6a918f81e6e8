package layout

import (
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Entity names one entity of a world: a slot number and the generation that
// tells its present occupant from earlier ones. The zero Entity is "none".
//
// The layout (two uint32, identifier first) is that of arche's and Ark's own
// entity types, so that an adapter may view an entity column as []Entity.
type Entity struct {
	ID  uint32
	Gen uint32
}

// IsZero reports whether e is the entity that means "none".
func (e Entity) IsZero() bool { return e == Entity{} }

// String gives the wire form, "42v3".
func (e Entity) String() string { return string(e.AppendTo(nil)) }

// AppendTo appends the wire form ("42v3") to dst.
func (e Entity) AppendTo(dst []byte) []byte {
	dst = strconv.AppendUint(dst, uint64(e.ID), 10)
	dst = append(dst, 'v')
	return strconv.AppendUint(dst, uint64(e.Gen), 10)
}

// ParseEntity reads "42v3" (full is true) or a bare slot number "42" (full is
// false, Gen is 0: the caller asks the world who lives there now).
// Anything else is an invalid_arguments error.
func ParseEntity(s string) (e Entity, full bool, err error) {
	id, gen, full := strings.Cut(s, "v")
	n, err1 := strconv.ParseUint(id, 10, 32)
	g, err2 := uint64(0), error(nil)
	if full {
		g, err2 = strconv.ParseUint(gen, 10, 32)
	}
	if err1 != nil || err2 != nil {
		return Entity{}, false, &refusal.Error{Code: refusal.InvalidArguments,
			Message: "not an entity: " + strconv.Quote(s), Got: s, Want: `the form "42v3" (id v generation)`,
			Hint: "query lists entities in the form every tool accepts"}
	}
	return Entity{ID: uint32(n), Gen: uint32(g)}, full, nil
}
