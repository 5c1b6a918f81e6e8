package host

// Snapshots is what a host adds to the snapshot tools. All of it is optional.
type Snapshots struct {
	// Exclude names component and resource types that snapshots leave out: an
	// excluded resource is left alone by a load, an excluded component stays on
	// the entities that have it. Default none.
	Exclude []string
	// States are saved and restored with the world. Default none.
	States []SnapshotState
	// MaxBytes bounds a snapshot before compression. Default 1 GiB.
	MaxBytes int64
}

// SnapshotState is host state outside the world that belongs to it: a physics
// engine, a random generator. It is the State of package snapshot.
type SnapshotState interface {
	// Name is its key in the file.
	Name() string
	// Version is the version of the encoding that Save writes.
	Version() int
	// Save encodes the state. Frame goroutine.
	Save() ([]byte, error)
	// Load decodes and checks what a Save of the given version wrote, and
	// changes nothing yet: an error refuses the whole load. It is called off the
	// frame goroutine and must not touch live state. finish puts the decoded
	// state in place, on the frame goroutine, after the world; or is never
	// called.
	Load(version int, data []byte) (finish func(), err error)
}
