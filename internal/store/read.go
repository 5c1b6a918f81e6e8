package store

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// File is an open file of a store. Read reports, at the end, a file that was
// changed meanwhile: contents of two versions are worth nothing.
type File struct {
	Path string // absolute
	Size int64  // bytes, when it was opened
	f    *os.File
	info os.FileInfo
	read int64
}

// Open opens the file a client names: a plain name, with or without suffix, a
// path below the folder or below the root, or an absolute path in the root.
// Refusals: not_found with the nearest names, invalid_arguments for a path
// that leads out of the root or is no regular file.
func (k *Kind) Open(name string) (*File, error) {
	root, err := k.store.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	at, err := k.resolve(root, name)
	if err != nil {
		return nil, err
	}
	return k.open(root, at)
}

func (k *Kind) open(root *os.Root, at string) (*File, error) {
	f, err := root.Open(filepath.FromSlash(at))
	if err != nil {
		return nil, &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("%s cannot be opened: %v", at, reason(err)), Got: at}
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: at + " is not a regular file", Got: at}
	}
	return &File{Path: filepath.Join(k.store.dir, filepath.FromSlash(at)), Size: info.Size(), f: f, info: info}, nil
}

// Read reads on. A file that has changed since it was opened ends in a
// bad_snapshot error instead of io.EOF.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.f.Read(p)
	f.read += int64(n)
	if f.read > f.Size || err == io.EOF {
		if e := f.changed(); e != nil {
			return n, e
		}
	}
	return n, err
}

func (f *File) changed() error {
	info, err := f.f.Stat()
	if err == nil && f.read == f.Size && info.Size() == f.info.Size() && info.ModTime().Equal(f.info.ModTime()) {
		return nil
	}
	return &refusal.Error{Code: refusal.BadSnapshot, Message: fmt.Sprintf("%s changed while it was being read", filepath.Base(f.Path)),
		Hint: "wait until it has been written, then try again; nothing was changed"}
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// Entry is a file of a kind.
type Entry struct {
	Name     string // without suffix
	Suffix   string
	Path     string // absolute
	Size     int64
	Modified time.Time
}

// List lists the files with one of the kind's suffixes, newest first. A folder
// that does not exist yet is empty.
func (k *Kind) List() ([]Entry, error) {
	root, err := os.OpenRoot(k.store.dir)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, nil
		}
		return nil, &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("the data folder cannot be read: %v", reason(err))}
	}
	defer root.Close()
	dir, err := root.Open(k.folder)
	if err != nil {
		if os.IsNotExist(err) {
			return nil, nil
		}
		return nil, &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("%s cannot be read: %v", k.folder, reason(err))}
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("%s cannot be read: %v", k.folder, reason(err))}
	}
	var out []Entry
	for _, name := range names {
		suffix := k.suffixOf(name)
		if suffix == "" || strings.HasPrefix(name, ".") {
			continue
		}
		info, err := root.Stat(path.Join(k.folder, name))
		if err != nil || !info.Mode().IsRegular() {
			continue // gone since, or a link out of the root
		}
		out = append(out, Entry{strings.TrimSuffix(name, suffix), suffix,
			filepath.Join(k.store.dir, k.folder, name), info.Size(), info.ModTime()})
	}
	slices.SortFunc(out, func(a, b Entry) int {
		return cmp.Or(b.Modified.Compare(a.Modified), cmp.Compare(a.Name, b.Name))
	})
	return out, nil
}

func (k *Kind) suffixOf(name string) string {
	for _, s := range k.suffixes {
		if strings.HasSuffix(name, s) && len(name) > len(s) {
			return s
		}
	}
	return ""
}
