package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Store is a root folder.
type Store struct {
	dir  string
	once sync.Once // creates the root, the first time something is written
}

// New returns the store rooted at dir, which need not exist yet: the first
// Write creates it. dir "" is the working directory.
func New(dir string) *Store {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &Store{dir: filepath.Clean(dir)}
}

// Dir is the absolute path of the root.
func (s *Store) Dir() string { return s.dir }

// Kind is the files of one folder. The first suffix is that of new files.
func (s *Store) Kind(folder string, suffixes ...string) *Kind {
	return &Kind{store: s, folder: folder, suffixes: suffixes}
}

// Kind is one folder of a store.
type Kind struct {
	store    *Store
	folder   string
	suffixes []string
}

func (s *Store) open() (*os.Root, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("the data folder cannot be opened: %v", err), Got: s.dir,
			Hint: "it is created by the first file that is written; if it was there, it has been removed"}
	}
	return root, nil
}

const maxName = 120 // bytes; leaves room for suffix and temporary mark in any file system

// checkName refuses everything but a plain file name.
func checkName(name string) error {
	bad := func(why string) error {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%q cannot be a file name: %s", name, why), Got: name,
			Want: "a plain name such as \"before-boss\": letters, digits, spaces, - _ . +; no folder, not beginning with a dot"}
	}
	switch {
	case name == "":
		return bad("it is empty")
	case len(name) > maxName:
		return bad(fmt.Sprintf("it is longer than %d bytes", maxName))
	case !utf8.ValidString(name):
		return bad("it is not UTF-8")
	case strings.HasPrefix(name, "."):
		return bad("it begins with a dot")
	case strings.HasSuffix(name, " ") || strings.HasSuffix(name, "."):
		return bad("it ends in a space or a dot")
	}
	for _, r := range name {
		if strings.ContainsRune(`/\:*?"<>|`, r) || unicode.IsControl(r) {
			return bad(fmt.Sprintf("it contains %q", r))
		}
	}
	// Device names that some systems find in every folder.
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "COM1", "COM2", "COM3", "COM4", "LPT1", "LPT2", "LPT3":
		return bad("it is the name of a device")
	}
	return nil
}

// fileName turns a name into that of a file of this kind.
func (k *Kind) fileName(name, suffix string) (string, error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	for _, s := range k.suffixes {
		if strings.HasSuffix(name, s) && len(name) > len(s) {
			return strings.TrimSuffix(name, s) + suffix, nil
		}
	}
	return name + suffix, nil
}

// resolve finds the path below the root of an existing file that a client
// names: a plain name, a path below the folder or the root, or an absolute
// path that lies in the root.
func (k *Kind) resolve(root *os.Root, name string) (string, error) {
	candidates, err := k.candidates(name)
	if err != nil {
		return "", err
	}
	for _, c := range candidates {
		info, err := root.Stat(c)
		switch {
		case err == nil && info.Mode().IsRegular():
			return c, nil
		case err == nil:
			return "", &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%s is not a regular file", c), Got: name}
		case errors.Is(err, fs.ErrNotExist):
		default:
			return "", &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%q cannot be opened: %v", name, reason(err)), Got: name,
				Want: "a file below " + k.store.dir}
		}
	}
	return "", k.notFound(name)
}

func (k *Kind) candidates(name string) ([]string, error) {
	outside := &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%q is outside the data folder", name), Got: name,
		Want: "a name, or a path below " + k.store.dir, Hint: "copy the file there first"}
	p := filepath.ToSlash(name)
	if filepath.IsAbs(name) || strings.HasPrefix(p, "/") {
		rel, err := filepath.Rel(k.store.dir, filepath.Clean(name))
		if err != nil || !filepath.IsLocal(rel) {
			return nil, outside
		}
		return []string{filepath.ToSlash(rel)}, nil
	}
	if p == "" || !filepath.IsLocal(name) || strings.ContainsRune(name, 0) {
		return nil, outside
	}
	p = path.Clean(p)
	var out []string
	for _, at := range []string{path.Join(k.folder, p), p} {
		for _, s := range k.suffixes {
			if !strings.HasSuffix(at, s) {
				out = append(out, at+s)
			}
		}
		out = append(out, at)
	}
	return out, nil
}

func (k *Kind) notFound(name string) error {
	files, _ := k.List()
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	e := &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("there is no file %q in %s", name, k.folder), Got: name,
		Options: refusal.Nearest(name, names), Total: len(names)}
	if len(names) == 0 {
		e.Hint = fmt.Sprintf("nothing has been saved to %s yet", path.Join(filepath.ToSlash(k.store.dir), k.folder))
	}
	return e
}

// reason leaves out the operation and path of a file error.
func reason(err error) error {
	var p *fs.PathError
	var l *os.LinkError // of a rename
	switch {
	case errors.As(err, &p):
		return p.Err
	case errors.As(err, &l):
		return l.Err
	}
	return err
}
