package discovery

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// directory is where the announcements of this user are.
func directory() (string, error) {
	path, private := place()
	if path == "" {
		return "", errors.New("this user has no runtime directory")
	}
	info, err := os.Lstat(path)
	if err != nil {
		return path, err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is no directory", path)
	}
	if !private {
		// Others may write where it lies: it counts only if it is ours alone.
		if err := oursAlone(info); err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
	}
	return path, nil
}

func makeDir() (string, error) {
	path, err := directory()
	if !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return "", err
	}
	return directory()
}
