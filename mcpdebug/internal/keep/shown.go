package keep

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"time"

	"github.com/loupe-ecs/loupe/blackbox"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Shown is what a file tells of the host that wrote it, as that host's own
// interfaces: times of frames and systems, the clock where it stood, the last
// picture.
func Shown(f *blackbox.File) *host.App {
	app := &host.App{Name: f.App}
	if f.Ticks {
		app.Clock = clock{f.Facts.Tick}
	}
	var h host.History
	if raw := f.Parts[blackbox.PartFrames]; raw != nil && json.Unmarshal(raw, &h) == nil && len(h.Phases) == len(h.Systems) {
		app.Systems = systems{whole(h)}
	}
	if raw := f.Parts[blackbox.PartScreen]; raw != nil {
		if size, err := png.DecodeConfig(bytes.NewReader(raw)); err == nil && size.Width*size.Height <= 16<<20 {
			if img, err := png.Decode(bytes.NewReader(raw)); err == nil {
				app.Screen = screen{img}
			}
		}
	}
	return app
}

// whole leaves out frames that do not tell of every system.
func whole(h host.History) host.History {
	frames := h.Frames[:0]
	for _, f := range h.Frames {
		if len(f.Systems) == len(h.Systems) {
			frames = append(frames, f)
		}
	}
	h.Frames = frames
	return h
}

// closed refuses what would change the game.
func closed() error {
	return &refusal.Error{Code: refusal.ReadOnly, Message: "this is a recording, not a running game: nothing in it can be changed", Next: "record_info"}
}

type clock struct{ tick uint64 }

func (c clock) Info() host.ClockInfo       { return host.ClockInfo{Tick: c.tick, Paused: true} }
func (c clock) Set(host.ClockChange) error { return closed() }

type systems struct{ history host.History }

func (s systems) List() (all []host.SystemInfo) {
	for i, name := range s.history.Systems {
		info := host.SystemInfo{Name: name, Phase: s.history.Phases[i], Position: i, Enabled: true}
		for _, f := range s.history.Frames {
			if d := f.Systems[i]; d >= 0 {
				info.LastMs = words.Millis(d)
				info.MaxMs = max(info.MaxMs, info.LastMs)
				info.AvgMs += info.LastMs
				info.Runs++
			}
		}
		info.AvgMs /= float64(max(info.Runs, 1))
		all = append(all, info)
	}
	return all
}

func (s systems) SetEnabled(string, bool) error    { return closed() }
func (s systems) Running() (string, time.Duration) { return "", 0 }
func (s systems) History(frames int) (h host.History) {
	h = s.history
	h.Frames = h.Frames[max(0, len(h.Frames)-frames):]
	return h
}

type screen struct{ picture image.Image }

func (s screen) Capture(_ host.Shot, done func(host.Picture, error)) {
	done(host.Picture{Image: s.picture}, nil)
}
