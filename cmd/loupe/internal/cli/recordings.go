package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/cmd/loupe/internal/session"
)

// recording is a .loupe file as ls lists it.
type recording struct {
	Path    string    `json:"path"`
	App     string    `json:"app,omitempty"`
	From    uint64    `json:"fromTick"`
	To      uint64    `json:"toTick"`
	Bytes   int64     `json:"bytes"`
	Written time.Time `json:"written"`
	Why     string    `json:"why,omitempty"`
	Damage  string    `json:"damage,omitempty"` // where it ends early, or why it cannot be read
}

// recordings are the files in the data directories that games have by default, and
// in loupe-data of the working directory and those of the games that run, newest
// first.
func recordings(rows []session.Row) []recording {
	dirs := []string{"loupe-data"}
	if cache, err := os.UserCacheDir(); err == nil {
		dirs = append(dirs, filepath.Join(cache, "loupe", "*"))
	}
	for _, r := range rows {
		if r.Dir != "" {
			dirs = append(dirs, filepath.Join(r.Dir, "loupe-data"))
		}
	}
	var all []recording
	seen := map[string]bool{}
	for _, dir := range dirs {
		files, _ := filepath.Glob(filepath.Join(dir, "recordings", "*.loupe"))
		for _, path := range files {
			if abs, err := filepath.Abs(path); err == nil {
				path = abs
			}
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !seen[path] {
				seen[path] = true
				all = append(all, describe(path, info))
			}
		}
	}
	slices.SortFunc(all, func(a, b recording) int { return cmp.Or(b.Written.Compare(a.Written), cmp.Compare(a.Path, b.Path)) })
	return all
}

func describe(path string, info os.FileInfo) recording {
	r := recording{Path: path, Bytes: info.Size(), Written: info.ModTime()}
	f, err := blackbox.Open(path, blackbox.Limits{})
	if err != nil {
		r.Damage = err.Error()
		return r
	}
	r.App, r.Written, r.Why, r.Damage = f.App, f.Written, f.Why, f.Damage
	r.From, r.To, _ = f.Recorder.Line().Ticks()
	return r
}
