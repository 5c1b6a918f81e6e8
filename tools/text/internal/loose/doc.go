// Package loose reads JSON as models write it: with single or curly quotes,
// trailing commas, names without quotes, Python's words, comments, brackets
// that were never closed. It says what it put right, and gives up at what may
// not be guessed.
package loose
