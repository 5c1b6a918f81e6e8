package launch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Spec is what to build and how to run it.
type Spec struct {
	Dir     string            `json:"dir,omitempty"`     // absolute; where it is built and runs
	Package string            `json:"package,omitempty"` // a path, such as "./cmd/game" or "."
	Args    []string          `json:"args,omitempty"`
	Tags    []string          `json:"tags,omitempty"` // build tags
	Env     map[string]string `json:"env,omitempty"`  // of the running program, beside the parent's
}

// ConfigFile may name what a project starts, in the directory that it is
// started in.
const ConfigFile = "loupe.json"

// ReadConfig reads a project's file. A missing one is an empty Spec.
func ReadConfig(dir string) (s Spec, err error) {
	b, err := os.ReadFile(filepath.Join(dir, ConfigFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, fmt.Errorf("%s: %w (it may have package, args, tags, env and dir)", filepath.Join(dir, ConfigFile), err)
	}
	return s, nil
}

// Or fills what s leaves open from a project's file.
func (s Spec) Or(file Spec) Spec {
	if s.Package == "" {
		s.Package = file.Package
	}
	if s.Args == nil {
		s.Args = file.Args
	}
	if s.Tags == nil {
		s.Tags = file.Tags
	}
	env := map[string]string{}
	for k, v := range file.Env {
		env[k] = v
	}
	for k, v := range s.Env {
		env[k] = v
	}
	s.Env = env
	return s
}

var tagForm = regexp.MustCompile(`^[A-Za-z0-9_.]+$`)

// Check makes the spec absolute and refuses what leads out of root: a client may
// start what is in the directory that the user named, and nothing else. root is
// absolute and free of links.
func (s *Spec) Check(root string) error {
	var err error
	if s.Dir == "" {
		s.Dir = root
	}
	if s.Dir, err = inside(root, root, s.Dir); err != nil {
		return err
	}
	if s.Package == "" {
		s.Package = "."
	}
	if !strings.HasPrefix(s.Package, ".") && !filepath.IsAbs(s.Package) {
		return &refusal.Error{Code: refusal.InvalidArguments, Got: s.Package, Want: "./" + strings.TrimPrefix(s.Package, "/"),
			Message: fmt.Sprintf("%q is no path: a package is named by its directory, such as ./cmd/game", s.Package)}
	}
	if strings.Contains(s.Package, "...") || strings.HasSuffix(s.Package, ".go") {
		return &refusal.Error{Code: refusal.InvalidArguments, Got: s.Package,
			Message: fmt.Sprintf("%q: one package can be started, named by its directory", s.Package)}
	}
	pkg, err := inside(root, s.Dir, s.Package)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(s.Dir, pkg); err == nil {
		s.Package = "./" + filepath.ToSlash(rel)
	}
	for _, tag := range s.Tags {
		if !tagForm.MatchString(tag) {
			return &refusal.Error{Code: refusal.InvalidArguments, Got: tag, Message: fmt.Sprintf("%q is no build tag: a tag has letters, digits, _ and .", tag)}
		}
	}
	for k := range s.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.Contains(s.Env[k], "\x00") {
			return &refusal.Error{Code: refusal.InvalidArguments, Got: k, Message: fmt.Sprintf("%q is no name of an environment variable", k)}
		}
	}
	if i := slices.IndexFunc(s.Args, func(a string) bool { return strings.Contains(a, "\x00") }); i >= 0 {
		return &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("argument %d has a zero byte", i)}
	}
	return nil
}

// inside resolves path from base, links followed, and refuses what is not in
// root.
func inside(root, base, path string) (string, error) {
	abs := path
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(base, path)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", &refusal.Error{Code: refusal.NotFound, Got: path, Message: fmt.Sprintf("there is no directory %s", abs), Hint: "paths are relative to " + base}
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", &refusal.Error{Code: refusal.InvalidArguments, Got: path, Want: "a directory in " + root,
			Message: fmt.Sprintf("%s is outside %s, the directory that may be started from", real, root),
			Hint:    "the user chooses it: loupe mcp -dir DIRECTORY"}
	}
	if info, err := os.Stat(real); err != nil || !info.IsDir() {
		return "", &refusal.Error{Code: refusal.InvalidArguments, Got: path, Message: fmt.Sprintf("%s is no directory", real)}
	}
	return real, nil
}

// Name is what the program is called: the last element of its package's path.
func (s Spec) Name() string {
	base := filepath.Base(filepath.Join(s.Dir, filepath.FromSlash(s.Package)))
	if base == "." || base == string(filepath.Separator) || base == "" {
		return "game"
	}
	return base
}
