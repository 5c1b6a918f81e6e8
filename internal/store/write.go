package store

import (
	"bufio"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Write creates or replaces a file of this kind, with the first suffix. f
// writes the contents. They go to a temporary name, are flushed to the device
// and renamed: on any error the old file is as it was and nothing is left
// behind. It returns the absolute path and the size in bytes. An error of f is
// returned as it is.
func (k *Kind) Write(name string, f func(io.Writer) error) (string, int64, error) {
	return k.WriteAs(name, k.suffixes[0], f)
}

// Valid says whether Write would accept the name; it touches no file.
func (k *Kind) Valid(name string) error { return checkName(name) }

// WriteAs is Write with another suffix (".json" beside ".loupe").
func (k *Kind) WriteAs(name, suffix string, f func(io.Writer) error) (file string, size int64, err error) {
	base, err := k.fileName(name, suffix)
	if err != nil {
		return "", 0, err
	}
	k.store.once.Do(func() { _ = os.MkdirAll(k.store.dir, 0o755) }) // open tells
	root, err := k.store.open()
	if err != nil {
		return "", 0, err
	}
	defer root.Close()
	if err := root.Mkdir(k.folder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", 0, k.writeFault(base, err)
	}
	// The mark keeps two writers of one name apart; a file left by a killed
	// process begins with a dot and is never listed.
	var mark [6]byte
	rand.Read(mark[:])
	temporary := path.Join(k.folder, "."+base+"."+hex.EncodeToString(mark[:])+".tmp")
	out, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", 0, k.writeFault(base, err)
	}
	done := false
	defer func() {
		out.Close()
		if !done {
			root.Remove(temporary)
		}
	}()
	w := &counter{w: out}
	buf := bufio.NewWriterSize(w, 256<<10)
	if err := f(buf); err != nil {
		if w.err != nil { // of the file, not of f
			err = k.writeFault(base, w.err)
		}
		return "", 0, err
	}
	for _, step := range []func() error{buf.Flush, out.Sync, out.Close} {
		if err := step(); err != nil {
			return "", 0, k.writeFault(base, err)
		}
	}
	final := path.Join(k.folder, base)
	if err := root.Rename(temporary, final); err != nil {
		return "", 0, k.writeFault(base, err)
	}
	done = true
	if d, err := root.Open(k.folder); err == nil {
		_ = d.Sync() // the rename itself; not every system can
		d.Close()
	}
	return filepath.Join(k.store.dir, filepath.FromSlash(final)), w.n, nil
}

// counter counts bytes and remembers the error of the device.
type counter struct {
	w   io.Writer
	n   int64
	err error
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	if err != nil {
		c.err = err
	}
	return n, err
}

func (k *Kind) writeFault(base string, err error) error {
	return &refusal.Error{Code: refusal.NotSupported, Message: fmt.Sprintf("%s could not be written: %v", path.Join(k.folder, base), reason(err)),
		Hint: "a file of that name, if there was one, is as it was; check space and permissions of " + k.store.dir}
}
