package keep

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/internal/buildinfo"
	"github.com/loupe-ecs/loupe/internal/logbuf"
	"github.com/loupe-ecs/loupe/internal/store"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/crashes"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/loop"
	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Host is what a file takes down of the server. Any goroutine.
type Host interface {
	App() *host.App
	Build() buildinfo.Run
	Crash() *crashes.Report
	Logs(logbuf.Query) (page logbuf.Page, path string)
	Status() loop.Status
	Logger() *slog.Logger
}

// Options say when and how much is written.
type Options struct {
	Dir string // of all files
	// Every is how often the running file is written on; 0: on a panic and on a
	// stall alone.
	Every time.Duration
	Files int   // how many are kept
	Bytes int64 // from where on a file is followed by another
}

const folder = "recordings"

// Keeper writes files of one server. Methods are for any goroutine.
type Keeper struct {
	host    Host
	rec     *timeline.Recorder
	options Options
	saved   *store.Kind

	saving chan struct{} // full while record_save writes

	wake chan string
	end  chan struct{}
	done chan struct{}
	once sync.Once

	mu      sync.Mutex
	picture []byte // the last one that was drawn for a client
	cpu     []byte // the last profiles
	heap    []byte
}

// New makes a keeper, which does nothing before Run.
func New(h Host, rec *timeline.Recorder, o Options) *Keeper {
	return &Keeper{host: h, rec: rec, options: o, saved: store.New(o.Dir).Kind(folder, ".loupe"),
		saving: make(chan struct{}, 1), wake: make(chan string, 1), end: make(chan struct{}), done: make(chan struct{})}
}

// Run begins to write by itself.
func (k *Keeper) Run() { go k.run() }

// Wake has the running file written on now, because something has happened.
func (k *Keeper) Wake(why string) {
	select {
	case k.wake <- why:
	default: // it is about to be
	}
}

// Close ends the running file and the goroutine.
func (k *Keeper) Close() {
	k.once.Do(func() { close(k.end) })
	<-k.done
}

// settle is how long after a panic the world's last sample may take.
const settle = 300 * time.Millisecond

func (k *Keeper) run() {
	defer close(k.done)
	box := &box{keeper: k}
	defer box.close()
	var tick <-chan time.Time
	if k.options.Every > 0 {
		t := time.NewTicker(k.options.Every)
		defer t.Stop()
		tick = t.C
	}
	for {
		why := "interval"
		select {
		case <-k.end:
			return
		case <-tick:
		case why = <-k.wake:
			select {
			case <-k.end:
			case <-time.After(settle): // the frame takes one more sample
			}
		}
		if err := box.write(why); err != nil {
			k.host.Logger().Warn("the recording cannot be kept in a file", "err", err)
		}
	}
}

// box is the file that is written on by itself.
type box struct {
	keeper *Keeper
	file   *os.File
	out    *blackbox.Writer
	logged uint64 // number of the last line that is in it
	failed bool
}

func (b *box) write(why string) (err error) {
	k := b.keeper
	if k.rec.Info().Samples == 0 {
		return nil // what is not recorded needs no black box: get_logs and CrashFile tell
	}
	if b.out != nil && (b.out.Bytes() > k.options.Bytes || b.gone()) {
		b.close()
	}
	fresh := b.out == nil
	if fresh {
		err = b.open(why)
	}
	if err == nil {
		err = k.fill(b.out, why, &b.logged)
	}
	if err != nil {
		b.abandon(fresh)
		if b.failed {
			return nil // it was told once
		}
		b.failed = true
		return err
	}
	b.failed = false
	if fresh { // not before: on a full disk the old files are all there is
		prune(filepath.Join(k.options.Dir, folder), k.options.Files, filepath.Base(b.file.Name()))
	}
	// What has reached the system outlives the process, not the machine: a
	// flush to the device would make other programs wait.
	return nil
}

func (b *box) open(why string) error {
	k := b.keeper
	dir := filepath.Join(k.options.Dir, folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	// The number tells apart what one moment, and one clock, would not.
	name := fmt.Sprintf("%s%s-%d-%d.loupe", prefix, time.Now().UTC().Format("20060102-150405"), os.Getpid(), opened.Add(1))
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	out, err := blackbox.NewWriter(f, k.header(why))
	if err != nil {
		f.Close()
		root.Remove(name)
		return err
	}
	b.file, b.out, b.logged = f, out, 0
	return nil
}

// gone: the file was removed, or another is in its place. What is written into it
// would be lost.
func (b *box) gone() bool {
	now, err := os.Stat(b.file.Name())
	if err != nil {
		return os.IsNotExist(err)
	}
	own, err := b.file.Stat()
	return err == nil && !os.SameFile(now, own)
}

// abandon lets go of a file that cannot be written on, and of one that nothing
// was written into.
func (b *box) abandon(empty bool) {
	if b.file == nil {
		return
	}
	b.file.Close()
	if empty {
		os.Remove(b.file.Name())
	}
	b.file, b.out = nil, nil
}

func (b *box) close() {
	if b.out == nil {
		return
	}
	if err := b.out.Close(); err != nil {
		b.keeper.host.Logger().Warn("the recording's file could not be ended", "err", err)
	}
	b.file.Close()
	b.file, b.out = nil, nil
}

var opened atomic.Uint64

// prefix of the files that are written by themselves: others are never removed.
const prefix = "blackbox-"

// written is what their names are like: a client may save another under a name
// that begins alike.
var written = regexp.MustCompile(`^` + prefix + `\d{8}-\d{6}-\d+-\d+\.loupe$`)

// prune removes the oldest of them, and never the one that was just begun: the
// clock may have been set back.
func prune(dir string, keep int, fresh string) {
	all, err := os.ReadDir(dir) // by name, and so in order of their times
	if err != nil {
		return
	}
	all = slices.DeleteFunc(all, func(e os.DirEntry) bool {
		return e.Name() == fresh || !written.MatchString(e.Name())
	})
	for _, e := range all[:max(0, len(all)+1-keep)] {
		os.Remove(filepath.Join(dir, e.Name()))
	}
}
