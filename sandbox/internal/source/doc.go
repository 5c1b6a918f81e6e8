// Package source makes a script's text into a function: it bounds how deep the
// text nests before anything recurses over it, mends the tree where gopher-lua's
// compiler is wrong, and puts calls of hidden functions in the place of what the
// VM would do without a budget.
//
// It runs nothing and knows no world. What a host wants called instead of what the
// source says stands in a [Dialect]. Everything is for any goroutine.
package source
