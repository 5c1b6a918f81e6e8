// Package layout knows Go types in memory: what lies where, what is a handle of
// the process, what an integer's labels are, which values are entities of an
// engine. Everything that walks values walks layouts: copies, comparison, hashes,
// the search for entities, and values as JSON.
//
//	l := layout.Of(reflect.TypeFor[Health]())
//	b, err := layout.AppendJSON(nil, reflect.ValueOf(h), layout.EncodeOptions{})
//
// What the program declares about its types is declared here and counts from then
// on: a declaration begins a new set of layouts, a [Layout] somebody holds stays as
// it was. Everything may be called on any goroutine, as long as the values
// themselves do not change meanwhile.
//
// Descriptions for clients, reading JSON and paths stand above, in package value,
// which has the names of this package that games and tools use too.
package layout
