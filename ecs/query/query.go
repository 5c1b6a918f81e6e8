// Package query finds entities: filters, where expressions, names. The world
// tools and the sandbox share it.
package query

import (
	"github.com/loupe-ecs/loupe/ecs"
)

// Query selects entities, as a client writes it.
type Query struct {
	Name      string   // part of the entity's label
	With      []string // component names
	Without   []string
	Exclusive bool
	Target    string // relation target, "42v3"
	Where     string // Go boolean expression over field paths
}

// Plan is a checked and compiled Query. Any goroutine may compile; running it
// is for the frame goroutine. It may be kept and reused: it notices when the
// world's types have changed.
type Plan struct{}

// Compile checks q against the catalog. Errors teach (unknown_component,
// unknown_field, invalid_arguments with the column of the fault).
func Compile(cat *ecs.Catalog, q Query) (*Plan, error) { panic("stub") }

// Each calls f with every chunk that has matching rows; rows are the row
// numbers in ascending order and valid during the call only. f returns false
// to stop. It allocates nothing per chunk.
func (p *Plan) Each(w ecs.World, f func(c ecs.Chunk, rows []int32) bool) { panic("stub") }
