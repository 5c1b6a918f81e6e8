package front

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// TokenEnv is the environment variable that a token is taken from when the
// options name none.
const TokenEnv = "LOUPE_TOKEN"

// Token finds the bearer token that o asks clients for: Options.Token, else the
// environment, else the token file. "" is none. A file that others can read,
// or an empty one, is an error.
func Token(o Options) (string, error) {
	if o.Token != "" {
		return o.Token, nil
	}
	if t := strings.TrimSpace(os.Getenv(TokenEnv)); t != "" {
		return t, nil
	}
	if o.TokenFile == "" {
		return "", nil
	}
	file, err := os.Open(o.TokenFile)
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("token file %s is open to others (mode %04o): chmod 600 it", o.TokenFile, mode)
	}
	b := make([]byte, 4096)
	n, _ := file.Read(b)
	t := strings.TrimSpace(string(b[:n]))
	if t == "" {
		return "", fmt.Errorf("token file %s is empty", o.TokenFile)
	}
	return t, nil
}
