//go:build !unix

package discovery

import (
	"os"
	"path/filepath"
)

// place names the directory: in the user's own cache, which no other user may
// write in.
func place() (path string, private bool) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", false
	}
	return filepath.Join(dir, "loupe", "run"), true
}

func oursAlone(os.FileInfo) error { return nil }
