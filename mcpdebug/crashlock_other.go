//go:build !nomcpdebug && !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package mcpdebug

import (
	"errors"
	"os"
)

func lock(*os.File) error { return errors.ErrUnsupported }
