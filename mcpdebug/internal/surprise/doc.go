// Package surprise says what has changed in a game between two moments, the most
// surprising first: what experiments, steps and run_until answer.
package surprise
