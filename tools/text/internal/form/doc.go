// Package form writes a call in the forms that the conventions teach, and
// reads the XML form back into the JSON arguments that every tool takes.
//
// Scalars are attributes, lists of numbers and of other words too ("1 2 3").
// Everything else is a child element of the argument's name: the items of a
// list in <item>, the entries of a map in <entry key="...">, a struct by the
// same rules again.
package form
