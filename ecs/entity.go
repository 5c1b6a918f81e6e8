package ecs

import "github.com/loupe-ecs/loupe/ecs/value"

// Entity names one entity of a world. The type stands in package value, because
// values hold entities.
type Entity = value.Entity

// ParseEntity reads "42v3" (full is true) or a bare slot number "42" (full is
// false, Gen is 0: the caller asks [World.Holder] who lives there now).
// Anything else is an invalid_arguments error.
func ParseEntity(s string) (e Entity, full bool, err error) { return value.ParseEntity(s) }

// Column is where the values of a component are. It stands in package value,
// because copies and digests take columns.
type Column = value.Column
