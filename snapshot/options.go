package snapshot

import (
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
)

// Options are the choices of a save or a load. The zero value is the default;
// nil stands for it. A value is not changed by this package.
type Options struct {
	// Frame and App are recorded in the header. Default 0 and "".
	Frame uint64
	App   string
	// Exclude names component and resource types that are left out, in any of
	// the forms ecs.Catalog accepts. An excluded resource is left alone by a
	// load. An excluded component is kept on every entity that has it at the
	// moment of the load. Names no type of the world has are ignored. Default
	// none.
	Exclude []string
	// States are what the host saves beside the world. Default none.
	States []State
	// MaxBytes bounds the memory a load may take for the contents of a file,
	// and the uncompressed size of a save. Default 1 GiB.
	MaxBytes int64
	// AllowUnknown leaves out what this process does not know (component and
	// resource types, dynamic types of interface values, states) and lists it
	// in Report.Skipped. By default such a file is refused: a world without a
	// component is another world.
	AllowUnknown bool
	// Rename maps full type names of older builds to today's. Default none.
	Rename map[string]string
}

// DefaultMaxBytes is Options.MaxBytes when it is 0.
const DefaultMaxBytes = 1 << 30

func (o *Options) orDefault() *Options {
	out := Options{}
	if o != nil {
		out = *o
	}
	if out.MaxBytes <= 0 {
		out.MaxBytes = DefaultMaxBytes
	}
	return &out
}

// State is something the host saves along with the world: a physics engine, a
// random generator, whatever lives outside components and resources.
type State interface {
	// Name is its key in the file.
	Name() string
	// Version is the version of the encoding that Save writes.
	Version() int
	// Save encodes the state. Called on the frame goroutine.
	Save() ([]byte, error)
	// Load decodes what a Save of the given version wrote and checks it, but
	// changes nothing yet; an error (an encoding it does not know) refuses the
	// whole load. It is not called on the frame goroutine when a debug server
	// loads. finish puts the decoded state in place: it is called on the frame
	// goroutine after the world has been restored, or never. data is finish's
	// to keep.
	Load(version int, data []byte) (finish func(), err error)
}

// The kinds of Projection.
const (
	Added     = "added"     // the field is new; it has the type's default
	Dropped   = "dropped"   // the field is gone; its values were left out
	Converted = "converted" // the type changed; every value fitted
	// Redescribed: the type is laid out as it was, but its description (units,
	// ranges, labels, texts, defaults, computed values, actions) is another:
	// From and To are its schemaIDs. Values were taken as they are.
	Redescribed = "redescribed"
)

// Projection is one field that differs between the type in the file and the
// type of this build.
type Projection struct {
	Type   string `json:"type" jsonschema:"component or resource type"`
	Field  string `json:"field,omitempty" jsonschema:"field path in it; [] stands for every element"`
	Change string `json:"change" jsonschema:"added, dropped, converted, or redescribed (same values, other units, ranges or texts)"`
	From   string `json:"from,omitempty" jsonschema:"type in the file, or its schemaID there"`
	To     string `json:"to,omitempty" jsonschema:"type in this build, or its schemaID here"`
}

// Skip is something that a save or a load left out.
type Skip struct {
	Kind   string `json:"kind" jsonschema:"component, resource, value or state"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Report says what a load did.
type Report struct {
	Header     Header
	Entities   int
	Archetypes int
	Projected  []Projection
	Skipped    []Skip
}

// report gathers the two lists, each entry once.
type report struct {
	projected []Projection
	skipped   []Skip
}

func (r *report) add(p Projection) {
	for _, q := range r.projected {
		if p == q {
			return
		}
	}
	r.projected = append(r.projected, p)
}

func (r *report) skip(s Skip) {
	for _, q := range r.skipped {
		if s == q {
			return
		}
	}
	r.skipped = append(r.skipped, s)
}

func (r *report) mark() int { return len(r.projected) }
func (r *report) cut(n int) { r.projected = r.projected[:n] }

// Info says what a save wrote.
type Info struct {
	Header  Header
	Bytes   int64 // of the file
	Raw     int64 // before compression
	Skipped []Skip
}

func restorer(w ecs.World) (ecs.Restorer, error) {
	r, ok := w.(ecs.Restorer)
	if !ok {
		return nil, &refusal.Error{Code: refusal.NotSupported, Message: "this world cannot be captured and restored: its adapter does not implement ecs.Restorer",
			Hint: "see capabilities for what the engine's adapter can do"}
	}
	return r, nil
}
