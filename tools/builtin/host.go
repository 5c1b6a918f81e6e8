package builtin

import (
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/tools"
)

// Host is what the built-in tools need of the server. Methods may be called
// from any goroutine unless they say otherwise.
type Host interface {
	Registry() *tools.Registry
	// Catalog is the last published one; nil without a world.
	Catalog() *ecs.Catalog
}
