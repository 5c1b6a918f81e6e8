// Package find finds the calls in a text that a model wrote: in one pass, with
// the place of each, and without taking for a call what only shows one.
//
// A call is tried where a character may begin one; what a failed attempt may
// look at is bounded by what was read so far, so that no text costs more than
// its length, whatever it holds.
package find
