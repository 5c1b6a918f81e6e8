// Package grammar writes calls as grammars: for Lark, whose parsers read what
// a model wrote, and in GBNF, which llama.cpp and its kin hold a model to while
// it writes. Both accept one call or several, as XML or as JSON.
//
// Arguments come in the order of the listing, required ones first: a grammar
// of every order would be of every length. Ranges of numbers, labels, counts
// of list items are in the grammar; patterns of texts are left to the checks.
package grammar
