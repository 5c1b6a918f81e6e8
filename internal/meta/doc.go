// Package meta holds tests about the module as a whole: which way imports go,
// what a game compiles, that every package shows itself in an example.
package meta
