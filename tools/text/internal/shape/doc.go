// Package shape is what the convention, the XML Schema and the grammars of a tool
// have in common: a tree that says of every argument what it may be. It is made from the described Go types
// where a tool has them, and from its JSON Schema where it has not (a schema
// that a host wrote by hand, a listing that came over the wire).
package shape
