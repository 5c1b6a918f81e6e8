//go:build !ark_tiny

package arkworld

// maxTypes is how many component types Ark can work with: the 256th makes
// every new archetype panic.
const maxTypes = 255

// bitMask mirrors Ark's mask of component types.
type bitMask struct{ bits [4]uint64 }

func (b *bitMask) mask() mask { return b.bits }
