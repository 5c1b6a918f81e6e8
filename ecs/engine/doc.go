// Package engine holds what the adapters of compiled-in engines have in common
// and what knows no engine: proof that an engine's memory is laid out as the
// adapter mirrors it, the rows of an archetype, the making of catalogs and
// images, the resources, the errors. It imports package ecs alone; an adapter
// keeps what is its engine's.
//
//	var ark = engine.Engine{Name: "Ark", Module: "github.com/mlange-42/ark", Version: "0.8.1", MaxTypes: 255}
//
//	if err := ark.SameLayout(reflect.TypeFor[world](), reflect.TypeFor[ecs.World](), "World"); err != nil {
//		// another version than the mirrored one: use the public interface
//	}
//
// Functions about a world are called where the world's methods are: on the
// frame goroutine. Those about types and errors may be called anywhere.
package engine
