package sandbox

import (
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
)

// undo takes back one field write. The addresses it holds stay right because
// nothing moves a row before the changes are committed, and committing empties
// the log.
type undo struct {
	p    unsafe.Pointer // a number or boolean of size bytes was old
	old  uint64
	size uint8

	root reflect.Value // else: the leaf of path in root was was
	path *ecs.Path     // nil: root itself was was
	was  reflect.Value
}

func (u *undo) run() {
	switch u.size {
	case 1:
		*(*uint8)(u.p) = uint8(u.old)
	case 2:
		*(*uint16)(u.p) = uint16(u.old)
	case 4:
		*(*uint32)(u.p) = uint32(u.old)
	case 8:
		*(*uint64)(u.p) = u.old
	default:
		if u.path == nil {
			u.root.Set(u.was)
			return
		}
		// It was read through the same path, so it can be put back.
		_ = u.path.Set(u.root, u.was)
	}
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
			w.undo = append(w.undo, undo{root: root, path: a.path, was: was})
			return
		}
	}
	if a != nil && a.path.Text == "" {
		was := reflect.New(root.Type()).Elem()
		was.Set(root)
		w.undo = append(w.undo, undo{root: root, was: was})
		return
	}
	w.undo = append(w.undo, undo{root: root, was: ecs.Copy(root)})
}

// rollback undoes all field writes, the latest first, and drops what was
// buffered.
func (w *worldState) rollback() {
	for i := len(w.undo) - 1; i >= 0; i-- {
		w.undo[i].run()
	}
	w.forget()
	w.pending = Changes{}
}

// forget empties the log and the buffer.
func (w *worldState) forget() {
	w.undo = nil
	w.ops = nil
	w.dead = nil
	w.overlay = nil
}
