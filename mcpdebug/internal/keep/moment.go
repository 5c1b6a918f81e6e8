package keep

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/store"
	"github.com/loupe-ecs/loupe/snapshot"
)

// InFile: the name is of a tick in a recording's file, as box@1200, where it is
// not that of a snapshot.
func InFile(name string) bool {
	at := strings.LastIndexByte(name, '@')
	return at > 0 && !strings.ContainsAny(name[at:], `/\`)
}

// Moment reads a tick of a file in the data directory for a world of this
// catalog. Off the frame.
func Moment(dir, name string, cat *ecs.Catalog, o *snapshot.Options) (*snapshot.Staged, string, error) {
	at := strings.LastIndexByte(name, '@')
	tick, err := strconv.ParseInt(name[at+1:], 10, 64)
	if err != nil {
		return nil, "", &refusal.Error{Code: refusal.InvalidArguments, Message: fmt.Sprintf("%s names no tick of a recording", refusal.Cut(name, 80)), Got: refusal.Cut(name, 80),
			Want: `a file that record_save wrote and a tick, as "box@1200", or "box@-60" for 60 ticks before its end`}
	}
	f, err := store.New(dir).Kind(folder, ".loupe").Open(name[:at])
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	box, err := blackbox.Read(f, f.Size, blackbox.Limits{})
	if err != nil {
		return nil, "", err
	}
	staged, ref, err := box.Stage(tick, cat, o)
	if err != nil {
		return nil, "", err
	}
	return staged, f.Path + "@" + strconv.FormatUint(ref.Tick, 10), nil
}
