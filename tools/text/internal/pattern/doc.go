// Package pattern holds regular languages as trees, so that one description of
// a number's range or a word's form is written out in each notation that needs
// it: regular expressions, XML Schema's patterns, GBNF.
package pattern
