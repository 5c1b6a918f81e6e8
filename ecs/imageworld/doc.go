// Package imageworld reads a world that is not live: a captured image, a
// recorded moment, a file from another machine. It implements the reading half
// of ecs.World, so that what is written for now (queries, tools, scripts that
// only read, checks) answers for then too. Writes are refused with read_only.
//
//	var img ecs.Image
//	err := world.(ecs.Restorer).Capture(&img)
//	...
//	then := imageworld.New(world.Catalog(), &img)
//	for c := range then.Chunks(ecs.Filter{With: ids}) { ... }
//
// Unlike a live world's, all methods may be called from any goroutine, as long
// as nobody changes the image. [Of] takes a [Source] in place of an image, which
// may make columns when they are asked for.
//
// What an image does not hold the catalog does not know: capacities are
// lengths, cached filters are not counted. Archetypes are numbered in the order
// of the image, which need not be that of the live world's catalog.
package imageworld
