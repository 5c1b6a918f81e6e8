package sandbox

import (
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// undo takes back one field write. The addresses it holds stay right because
// nothing moves a row before the changes are committed, and committing empties
// the log.
type undo struct {
	p    unsafe.Pointer // a number or boolean of size bytes was old
	old  uint64
	size uint8 // 0: old is an index into wide
}

// load reads the number at p, and put writes one, by its bits.
func (u *undo) load() uint64 {
	switch u.size {
	case 1:
		return uint64(*(*uint8)(u.p))
	case 2:
		return uint64(*(*uint16)(u.p))
	case 4:
		return uint64(*(*uint32)(u.p))
	}
	return *(*uint64)(u.p)
}

func (u *undo) put(x uint64) {
	switch u.size {
	case 1:
		*(*uint8)(u.p) = uint8(x)
	case 2:
		*(*uint16)(u.p) = uint16(x)
	case 4:
		*(*uint32)(u.p) = uint32(x)
	default:
		*(*uint64)(u.p) = x
	}
}

// wideUndo takes back a write of anything else.
type wideUndo struct {
	root reflect.Value // the leaf of path in root was was
	path *value.Path   // nil: root itself was was
	was  reflect.Value
}

// undoBatch is how many entries the log grows by: it is never copied.
const undoBatch = 512

func (w *worldState) log(u undo) {
	n := len(w.undo)
	if n == 0 || len(w.undo[n-1]) == cap(w.undo[n-1]) {
		size := undoBatch
		if n == 0 {
			size = 16
		}
		w.undo = append(w.undo, make([]undo, 0, size))
		n++
	}
	w.undo[n-1] = append(w.undo[n-1], u)
}

func (w *worldState) logWide(u wideUndo) {
	w.log(undo{old: uint64(len(w.wide))})
	w.wide = append(w.wide, u)
}

func (w *worldState) takeBack(u *undo) {
	if u.size > 0 {
		u.put(u.old)
		return
	}
	x := &w.wide[u.old]
	if x.path == nil {
		x.root.Set(x.was)
		return
	}
	// It was read through the same path, so it can be put back.
	_ = x.path.Set(x.root, x.was)
}

// note records how to undo what is about to be written at a in root. The leaf
// is kept as it is, not copied deeply: what it refers to is replaced, not
// changed, unless a map is on the way. Then the whole component is copied,
// contents and all.
func (w *worldState) note(a *access, root reflect.Value) {
	if a != nil && !a.inMap && a.path.Text != "" {
		if leaf, err := a.path.Get(root); err == nil {
			was := reflect.New(leaf.Type()).Elem()
			was.Set(leaf)
			w.logWide(wideUndo{root: root, path: a.path, was: was})
			return
		}
	}
	if a != nil && a.path.Text == "" {
		was := reflect.New(root.Type()).Elem()
		was.Set(root)
		w.logWide(wideUndo{root: root, was: was})
		return
	}
	w.logWide(wideUndo{root: root, was: value.Copy(root)})
}

// rollback undoes all field writes, the latest first, and drops what was
// buffered.
func (w *worldState) rollback() {
	for i := len(w.undo) - 1; i >= 0; i-- {
		for j := len(w.undo[i]) - 1; j >= 0; j-- {
			w.takeBack(&w.undo[i][j])
		}
	}
	w.forget()
	w.pending = Changes{}
}

// forget empties the log and the buffer.
func (w *worldState) forget() {
	w.undo, w.wide = nil, nil
	w.ops = nil
	w.dead = nil
	w.overlay = nil
}
