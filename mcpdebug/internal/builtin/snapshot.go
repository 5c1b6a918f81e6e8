package builtin

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/store"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/entities"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/keep"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/past"
	"github.com/loupe-ecs/loupe/snapshot"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// snapshotHost is what snapshots need of the server.
type snapshotHost interface {
	filesHost
	App() *host.App
	Build() Build
	Components() *ComponentTools
	freshHost
}

func snapshotTools(h snapshotHost, then *past.Past) []*tools.Tool {
	s := &snapshots{host: h, then: then}
	return tools.Family(tools.Spec{Group: "snapshot"}, s.saveTool(), s.loadTool(), s.listTool(), s.diffTool())
}

// snapshots is shared by the snapshot tools of one server.
type snapshots struct {
	host snapshotHost
	then *past.Past
	// captures are reused: a large world's memory need not be asked for anew
	// on the frame.
	captures sync.Pool
}

const (
	suffixLoupe = ".loupe"
	suffixJSON  = ".json"
)

func (s *snapshots) files() *store.Kind {
	return store.New(s.host.Limits().DataDir).Kind("snapshots", suffixLoupe, suffixJSON)
}

func (s *snapshots) capture() *snapshot.Capture {
	if c, ok := s.captures.Get().(*snapshot.Capture); ok {
		return c
	}
	return new(snapshot.Capture)
}

type snapshotSaveArgs struct {
	Name   string `json:"name,omitempty" jsonschema:"file name; an old file is replaced; @1200: that recorded tick" debug:"default=snapshot"`
	Format string `json:"format,omitempty" jsonschema:"json: an export, not loadable" debug:"enum=loupe|json,default=loupe"`
}

type snapshotSaveResult struct {
	Path       string          `json:"path" jsonschema:"the file"`
	Bytes      int64           `json:"bytes" jsonschema:"size of the file"`
	RawBytes   int64           `json:"rawBytes,omitempty" jsonschema:"size before compression"`
	Entities   int             `json:"entities" jsonschema:"entities saved"`
	Archetypes int             `json:"archetypes" jsonschema:"archetypes with entities"`
	SavedFrame uint64          `json:"savedFrame" jsonschema:"host frame it holds"`
	Ms         float64         `json:"ms" jsonschema:"milliseconds for everything"`
	FrameMs    float64         `json:"frameMs" jsonschema:"milliseconds that the game waited: copying the world"`
	Skipped    []snapshot.Skip `json:"skipped,omitempty" jsonschema:"what no file can hold: functions, channels, handles"`
	Excluded   []string        `json:"excluded,omitempty" jsonschema:"types that the host leaves out: a load leaves them as they are"`
	Replaced   bool            `json:"replaced,omitempty" jsonschema:"an older file of that name is gone"`
}

type snapshotSave struct {
	in      snapshotSaveArgs
	started time.Time
	frameMs float64
	frame   uint64
	capture *snapshot.Capture
	exclude []string
	then    bool // a recorded tick: capture has it already
}

func (s *snapshots) saveTool() *tools.Tool {
	return tools.NewPhased(tools.Spec{Name: "snapshot_save", NeedsWorld: true,
		Description: "Saves the whole world to a file, for snapshot_load and snapshot_diff.",
		Example:     `{"name":"before-boss"}`,
	}, tools.Phases[snapshotSaveArgs, snapshotSave, snapshotSave, snapshotSaveResult]{
		Before: func(c *tools.Call, in snapshotSaveArgs) (snapshotSave, error) {
			if in.Name == "" {
				in.Name = "snapshot"
			}
			if past.Names(in.Name) {
				capture, sample, err := s.then.Named(c, in.Name, past.Options(s.host.App()))
				if err != nil {
					return snapshotSave{}, err
				}
				in.Name = "tick-" + strconv.FormatUint(sample.Tick, 10)
				return snapshotSave{in: in, started: time.Now(), capture: capture, frame: sample.Frame, then: true}, nil
			}
			return snapshotSave{in: in, started: time.Now(), capture: s.capture()}, s.files().Valid(in.Name)
		},
		Frame: func(f *tools.Frame, p snapshotSave) (snapshotSave, error) {
			o := past.Options(f.App)
			if p.then {
				p.exclude = excludedTypes(f.World.Catalog(), o.Exclude)
				return p, nil
			}
			o.Frame, p.frame = f.Number, f.Number
			start := time.Now()
			err := p.capture.Take(f.World, o)
			p.exclude = excludedTypes(f.World.Catalog(), o.Exclude)
			p.frameMs = millis(time.Since(start))
			return p, err
		},
		After: s.save,
	})
}

// excludedTypes are those of the names that this world has a type for.
func excludedTypes(cat *ecs.Catalog, names []string) (out []string) {
	for _, name := range names {
		if c, err := cat.Component(name); err == nil {
			out = append(out, c.Name)
		}
		if r, err := cat.Resource(name); err == nil {
			out = append(out, r.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (s *snapshots) save(_ *tools.Call, p snapshotSave) (r snapshotSaveResult, err error) {
	if !p.then {
		defer s.captures.Put(p.capture)
	}
	suffix := suffixLoupe
	if p.in.Format == "json" {
		suffix = suffixJSON
	}
	r.Excluded, r.Replaced = p.exclude, fileExists(s.files(), p.in.Name, suffix)
	r.Path, r.Bytes, err = s.files().WriteAs(p.in.Name, suffix, func(w io.Writer) error {
		if suffix == suffixJSON {
			_, err := p.capture.WriteJSON(w)
			return err
		}
		info, err := p.capture.Encode(w)
		r.RawBytes, r.Skipped = info.Raw, info.Skipped
		return err
	})
	if err != nil {
		return r, err
	}
	for i := range p.capture.Image.Archetypes {
		if n := len(p.capture.Image.Archetypes[i].Entities); n > 0 {
			r.Entities += n
			r.Archetypes++
		}
	}
	r.SavedFrame, r.FrameMs, r.Ms = p.frame, p.frameMs, millis(time.Since(p.started))
	return r, nil
}

type snapshotLoadArgs struct {
	Name         string `json:"name,omitempty" jsonschema:"from snapshot_list"`
	Path         string `json:"path,omitempty" jsonschema:"in place of name"`
	AllowUnknown bool   `json:"allowUnknown,omitempty" jsonschema:"skip types unknown here"`
}

type snapshotLoadResult struct {
	Path       string                `json:"path" jsonschema:"the file"`
	Entities   int                   `json:"entities" jsonschema:"entities in the world now"`
	Archetypes int                   `json:"archetypes" jsonschema:"archetypes with entities"`
	Version    int                   `json:"version" jsonschema:"format version of the file"`
	SavedFrame uint64                `json:"savedFrame" jsonschema:"host frame it was saved in; the host's frames go on counting"`
	Projected  []snapshot.Projection `json:"projected" jsonschema:"fields that were added, dropped or converted because the types have changed since"`
	Skipped    []snapshot.Skip       `json:"skipped" jsonschema:"what was left out or kept from the live world"`
	Ms         float64               `json:"ms" jsonschema:"milliseconds for everything"`
	FrameMs    float64               `json:"frameMs" jsonschema:"milliseconds that the game waited"`
	Hint       string                `json:"hint,omitempty" jsonschema:"what to mind"`
}

type snapshotLoad struct {
	path    string
	started time.Time
	staged  *snapshot.Staged
	report  *snapshot.Report
	frameMs float64
}

func (s *snapshots) loadTool() *tools.Tool {
	return tools.NewPhased(tools.Spec{Name: "snapshot_load", Idempotent: true, NeedsWorld: true,
		Description: "Makes the world, in place, what it was when it was saved.",
		Example:     `{"name":"before-boss"}`,
	}, tools.Phases[snapshotLoadArgs, snapshotLoad, snapshotLoad, snapshotLoadResult]{
		Before: func(c *tools.Call, in snapshotLoadArgs) (p snapshotLoad, err error) {
			p.started = time.Now()
			name := in.Name
			if in.Path != "" {
				name = in.Path
			}
			if name == "" || in.Name != "" && in.Path != "" {
				return p, s.whichFile()
			}
			o := past.Options(s.host.App())
			o.AllowUnknown = in.AllowUnknown
			p.staged, p.path, err = s.decode(c, name, o)
			return p, err
		},
		Frame: func(f *tools.Frame, p snapshotLoad) (snapshotLoad, error) {
			start := time.Now()
			var err error
			p.report, err = p.staged.Restore(f.World)
			p.frameMs = millis(time.Since(start))
			return p, err
		},
		After: func(_ *tools.Call, p snapshotLoad) (snapshotLoadResult, error) {
			r := snapshotLoadResult{Path: p.path, Entities: p.report.Entities, Archetypes: p.report.Archetypes, Version: p.report.Header.Format,
				SavedFrame: p.report.Header.Frame, Projected: p.report.Projected, Skipped: p.report.Skipped,
				Ms: millis(time.Since(p.started)), FrameMs: p.frameMs}
			if r.Projected == nil {
				r.Projected = []snapshot.Projection{}
			}
			if r.Skipped == nil {
				r.Skipped = []snapshot.Skip{}
			}
			if len(r.Projected) > 0 {
				r.Hint = "types have changed since the snapshot was saved: projected lists how each field was brought over"
			}
			return r, nil
		},
	})
}

func (s *snapshots) whichFile() error {
	files, _ := s.files().List()
	e := &refusal.Error{Code: refusal.InvalidArguments, Message: "say which snapshot: name or path, one of the two", Next: "snapshot_list", Total: len(files)}
	for i := 0; i < len(files) && i < 10; i++ {
		e.Options = append(e.Options, files[i].Name)
	}
	return e
}

// decode reads a file for the bound world, off the frame.
func (s *snapshots) decode(c *tools.Call, name string, o *snapshot.Options) (*snapshot.Staged, string, error) {
	if past.Names(name) {
		capture, sample, err := s.then.Named(c, name, o)
		if err != nil {
			return nil, "", err
		}
		staged, err := capture.Stage(o)
		return staged, "@" + strconv.FormatUint(sample.Tick, 10), err
	}
	cat := c.Catalog
	if fresh := s.host.Fresh(c).Catalog; fresh != nil {
		cat = fresh
	}
	if cat == nil {
		return nil, "", entities.NoWorld()
	}
	f, err := s.files().Open(name)
	if err != nil && keep.InFile(name) {
		return keep.Moment(s.host.Limits().DataDir, name, cat, o)
	}
	if err != nil {
		return nil, "", noSnapshot(err)
	}
	defer f.Close()
	staged, err := snapshot.Decode(f, cat, o)
	return staged, f.Path, err
}

// noSnapshot says where the snapshots that there are are listed.
func noSnapshot(err error) error {
	e, ok := err.(*refusal.Error)
	if !ok || e.Code != refusal.NotFound {
		return err
	}
	c := *e
	c.Next = "snapshot_list"
	if len(e.Options) == 0 {
		c.Next = "snapshot_save"
	}
	return &c
}

// fileExists tells whether a write will replace a file.
func fileExists(files *store.Kind, name, suffix string) bool {
	all, _ := files.List()
	return slices.ContainsFunc(all, func(f store.Entry) bool { return f.Suffix == suffix && f.Name == strings.TrimSuffix(name, suffix) })
}

type snapshotListArgs struct {
	Limit int `json:"limit,omitempty" jsonschema:"rows" debug:"min=1,max=1000,default=50"`
	page.Args
}

type snapshotRow struct {
	Name       string          `json:"name" jsonschema:"for snapshot_load and snapshot_diff"`
	Path       string          `json:"path" jsonschema:"the file"`
	Bytes      int64           `json:"bytes" jsonschema:"size of the file"`
	Modified   string          `json:"modified" jsonschema:"when it was written, RFC 3339"`
	Format     string          `json:"format" jsonschema:"loupe, or json for an export that cannot be loaded"`
	SavedFrame uint64          `json:"savedFrame,omitempty" jsonschema:"host frame it was saved in"`
	Entities   int             `json:"entities,omitempty" jsonschema:"entities in it"`
	Archetypes int             `json:"archetypes,omitempty" jsonschema:"archetypes in it"`
	Components int             `json:"components,omitempty" jsonschema:"component types in it"`
	Resources  int             `json:"resources,omitempty" jsonschema:"resources in it"`
	App        string          `json:"app,omitempty" jsonschema:"the program, by its own name"`
	Build      *snapshot.Build `json:"build,omitempty" jsonschema:"which build wrote it"`
	Error      string          `json:"error,omitempty" jsonschema:"why the header cannot be read"`
}

type snapshotListResult struct {
	Snapshots []snapshotRow `json:"snapshots" jsonschema:"the files, newest first"`
	page.Info
}

func (s *snapshots) listTool() *tools.Tool {
	return tools.NewOff(tools.Spec{Name: "snapshot_list", Effect: tools.ReadOnly, Idempotent: true,
		Description: "Lists saved snapshots, newest first.",
		Example:     `{}`,
	}, func(_ *tools.Call, in snapshotListArgs) (r snapshotListResult, err error) {
		files, err := s.files().List()
		if err != nil {
			return r, err
		}
		rows := make([]snapshotRow, len(files))
		for i, f := range files {
			rows[i] = snapshotRow{Name: f.Name, Path: f.Path, Bytes: f.Size, Modified: f.Modified.UTC().Format(time.RFC3339), Format: f.Suffix[1:]}
		}
		r.Snapshots, r.Info, err = page.Of("snapshot_list", rows, in.Limit, in.Args,
			func(row *snapshotRow) string { return row.Name + row.Format }, "pass a smaller limit")
		for i := range r.Snapshots {
			if row := &r.Snapshots[i]; row.Format == "loupe" {
				s.header(row)
			}
		}
		return r, err
	})
}

func (s *snapshots) header(row *snapshotRow) {
	f, err := s.files().Open(row.Path)
	if err != nil {
		row.Error = err.Error()
		return
	}
	defer f.Close()
	h, err := snapshot.ReadHeader(f)
	if err != nil {
		row.Error = err.Error()
		return
	}
	row.SavedFrame, row.Entities, row.Archetypes, row.App, row.Build = h.Frame, h.Entities, h.Archetypes, h.App, &h.Build
	row.Components, row.Resources = len(h.Components), len(h.Resources)
}
