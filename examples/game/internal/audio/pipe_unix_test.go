//go:build unix

package audio

import "syscall"

func makePipe(path string) { syscall.Mkfifo(path, 0o666) }
