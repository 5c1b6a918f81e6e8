// Command mutate asks whether the tests would see a mistake. It draws functions
// of the product at random, makes one small mistake in each, runs the tests of
// the package and of the packages that import it, and tells which mistakes
// nobody noticed.
//
//	make mutate N=40 SEED=7
//	make mutate N=20 PACKAGES=./ecs/query
//
// The files stay as they are: the go command is given the changed text with
// -overlay. What does not compile is drawn anew. equivalent.txt lists mistakes
// that are none, with the reason; they are drawn anew, too.
//
// It exits with 0 whatever it finds: it is a question, no gate.
package main
