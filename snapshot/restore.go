package snapshot

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/snapshot/internal/images"
)

// Restore puts the snapshot into the world. Frame goroutine only. Whatever can
// be refused is refused before anything changes (world_locked, a world other
// than the one Decode was given the catalog of). Should the engine or a host
// state fail in the middle all the same, the world is put back to what it was.
func (s *Staged) Restore(world ecs.World) (*Report, error) {
	r, err := restorer(world)
	if err != nil {
		return nil, err
	}
	if err := s.Fits(world.Catalog()); err != nil {
		return nil, err
	}
	if err := r.Check(&s.Image); err != nil {
		return nil, err
	}
	// An adapter that fails puts the world back itself. This copy is for what
	// comes after it (the host's states) and for what no file can hold.
	var before Capture
	if s.needsLive(world.Catalog()) {
		if err := before.Take(world, s.options); err != nil {
			return nil, err
		}
	}
	img, err := s.prepare(world, &before)
	if err != nil {
		return nil, err
	}
	if err := r.Restore(img); err != nil {
		return nil, err
	}
	if err := s.finishStates(); err != nil {
		if undo := s.undo(r, &before); undo != nil {
			err = &refusal.Error{Code: refusal.Panicked, Message: fmt.Sprintf("%v; and putting the world back failed too: %v", err, undo),
				Hint: "the world may be in any state: restart the game"}
		}
		return nil, err
	}
	return s.Report(), nil
}

// needsLive reports whether the live world has to be copied first.
func (s *Staged) needsLive(cat *ecs.Catalog) bool {
	if len(s.finish) > 0 || len(s.options.Exclude) > 0 {
		return true
	}
	for i := range s.Image.Archetypes {
		if len(s.Image.Archetypes[i].Entities) == 0 {
			continue
		}
		for _, id := range s.Image.Archetypes[i].Components {
			if nodeOf(cat.Components[id].Type.Go).Handles {
				return true
			}
		}
	}
	for _, r := range s.Image.Resources {
		if nodeOf(cat.Resources[r.ID].Type.Go).Handles {
			return true
		}
	}
	return false
}

// Fits reports whether the image's type numbers mean in a world with this
// catalog what they meant in the one that Decode was given. A world keeps its
// numbers for life, so the error says that it is another world.
func (s *Staged) Fits(cat *ecs.Catalog) error {
	if !cat.Extends(s.catalog) {
		return &refusal.Error{Code: refusal.Busy, Message: "the world was replaced while the snapshot was being read", Hint: "load it again"}
	}
	return nil
}

// prepare takes over from the live world what the file cannot or must not
// hold, into a copy of the image where needed.
func (s *Staged) prepare(world ecs.World, before *Capture) (img *ecs.Image, err error) {
	defer recovered(&err, "preparing")
	cat := world.Catalog()
	dropped, withoutResources := s.options.excluded(cat)
	img = &ecs.Image{Pool: s.Image.Pool, Archetypes: s.Image.Archetypes, Resources: s.Image.Resources, Hints: s.Image.Hints}
	if before.catalog == nil {
		return img, nil
	}
	live := images.Locate(&before.Image)
	if len(dropped) > 0 {
		img.Archetypes, img.Hints = images.Keep(images.LeaveOut(img.Archetypes, dropped), &before.Image, live, dropped), nil
	}
	graftRows(cat, img, &before.Image, live)
	img.Resources = graftResources(cat, img.Resources, before.Image.Resources, withoutResources)
	return img, nil
}

func (s *Staged) finishStates() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &refusal.Error{Code: refusal.Panicked, Message: fmt.Sprintf("a host state panicked while it was put in place: %v", p),
				Hint: "the world was put back to what it was before the load"}
		}
	}()
	for _, f := range s.finish {
		f()
	}
	return nil
}

func (s *Staged) undo(r ecs.Restorer, before *Capture) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	err = r.Restore(&before.Image)
	for i, st := range before.states {
		finish, e := s.options.States[i].Load(st.Version, st.Data)
		if e != nil {
			err = errors.Join(err, fmt.Errorf("the host refuses its own state %q: %w", st.Name, e))
		} else if finish != nil {
			finish()
		}
	}
	return err
}

// graftRows copies functions, channels, locks and other handles from the live
// components into the ones about to replace them.
func graftRows(cat *ecs.Catalog, img, live *ecs.Image, where images.Places) {
	for i := range img.Archetypes {
		a := &img.Archetypes[i]
		for c, id := range a.Components {
			n := nodeOf(cat.Components[id].Type.Go)
			if !n.Handles {
				continue
			}
			for row, e := range a.Entities {
				at, ok := where.Find(e)
				if !ok {
					continue
				}
				from := &live.Archetypes[at.Archetype]
				if k := slices.Index(from.Components, id); k >= 0 {
					graft(n, a.Columns[c].Index(row), from.Columns[k].Index(int(at.Row)), 0)
				}
			}
		}
	}
}

func graftResources(cat *ecs.Catalog, list, live []ecs.ImageResource, dropped map[ecs.TypeID]bool) []ecs.ImageResource {
	out := make([]ecs.ImageResource, 0, len(list))
	for _, r := range list {
		if dropped[r.ID] {
			continue
		}
		n := nodeOf(cat.Resources[r.ID].Type.Go)
		i := slices.IndexFunc(live, func(x ecs.ImageResource) bool { return x.ID == r.ID })
		if r.Value.IsValid() && n.Handles && i >= 0 && live[i].Value.IsValid() {
			src := reflect.New(n.Go)
			src.Elem().Set(live[i].Value)
			graft(n, r.Value, src.Elem(), 0)
		}
		out = append(out, r)
	}
	// A resource that the image does not mention is left alone by the adapter.
	return out
}

// graft copies the opaque parts of src over those of dst, both addressable.
func graft(n *node, dst, src reflect.Value, depth int) {
	if !n.Handles || depth > 8 {
		return
	}
	switch n.kind {
	case kOpaque:
		dst.Set(src)
	case kStruct:
		for _, f := range n.fields {
			if f.node.Handles {
				at := func(v reflect.Value) reflect.Value {
					return reflect.NewAt(f.node.Go, unsafe.Add(v.Addr().UnsafePointer(), f.offset)).Elem()
				}
				graft(f.node, at(dst), at(src), depth+1)
			}
		}
	case kArray:
		for i := range n.Len {
			graft(n.elem, dst.Index(i), src.Index(i), depth+1)
		}
	case kPointer:
		if !dst.IsNil() && !src.IsNil() {
			graft(n.elem, dst.Elem(), src.Elem(), depth+1)
		}
	case kInterface:
		if dst.IsNil() && !src.IsNil() && nodeOf(src.Elem().Type()).kind == kOpaque {
			dst.Set(src)
		}
	}
}
