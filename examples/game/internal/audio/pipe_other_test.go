//go:build !unix

package audio

func makePipe(string) {}
