// Package store keeps files under one writable root: snapshots, profiles,
// screenshots. Names that come from a client are relative, cannot leave the
// root, and are written whole or not at all.
//
//	s := store.New(dir)
//	shots := s.Kind("shots", ".png")
//	path, size, err := shots.Write("boss", func(w io.Writer) error { return png.Encode(w, img) })
//
// A [Store] is the root; a [Kind] is one folder in it with the suffixes its
// files have. Any goroutine may use both. Every operation opens the root anew
// through os.Root: symbolic links that lead out are refused by the operating
// system's own resolution, not by looking at names, and a folder that has
// vanished is an error of the operation that needed it.
package store
