//go:build ark_tiny

package arkworld

// maxTypes is how many component types Ark can work with under this tag.
const maxTypes = 64

// bitMask mirrors Ark's mask of component types.
type bitMask struct{ bits uint64 }

func (b *bitMask) mask() mask { return mask{b.bits} }
