package sandbox

import (
	"maps"
	"slices"
)

// EntityMethods are the names of what an entity has beside its components.
func EntityMethods() []string { return slices.Sorted(maps.Keys(entityMethods)) }
