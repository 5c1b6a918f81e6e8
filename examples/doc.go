// Package examples holds the example programs, one a kind of game; its test plays
// each as a person and a client would.
package examples
