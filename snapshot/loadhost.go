package snapshot

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/snapshot/internal/blocks"
)

// resources reads the resources. Those the file does not mention are left
// alone by a restore.
func (l *loader) resources() {
	names := make([]string, len(l.cat.Resources))
	for i := range names {
		names[i] = resourceName(l.cat.Resources, i)
	}
	seen := map[string]bool{}
	for range l.length(3) {
		name := l.string()
		noted := l.string()
		if seen[name] {
			l.fail("the resource type %s is there twice", name)
		}
		seen[name] = true
		present := l.byte()
		if present > 1 {
			l.fail("resource %s is neither present nor absent", name)
		}
		i := slices.Index(names, l.renamed(name))
		if i < 0 {
			if present == 1 {
				l.unknown("resource", name, names)
			}
			l.report.skip(Skip{Kind: "resource", Name: name, Reason: "this world does not know the type"})
		}
		if present == 0 {
			if i >= 0 {
				l.staged.Image.Resources = append(l.staged.Image.Resources, ecs.ImageResource{ID: ecs.TypeID(i)})
			}
			continue
		}
		w := l.typeNumber()
		form, data := l.block()
		if i < 0 {
			continue
		}
		l.note(name, noted, l.cat.Resources[i].Type)
		n := nodeOf(l.cat.Resources[i].Type.Go)
		l.where = l.cat.Resources[i].Type.ID
		v := l.sub(data, func() reflect.Value { return l.decoder.column(w, n, form, 1).Index(0) })
		l.where = "resources"
		l.report.unsaved(l.cat.Resources[i].Type.ID, n)
		l.staged.Image.Resources = append(l.staged.Image.Resources, ecs.ImageResource{ID: ecs.TypeID(i), Value: v})
	}
	slices.SortFunc(l.staged.Image.Resources, func(a, b ecs.ImageResource) int { return int(a.ID - b.ID) })
}

// hostStates has the host decode its states; what they return is put in place
// after the world.
func (l *loader) hostStates() {
	seen := map[string]bool{}
	for range l.length(3) {
		name, ver := l.string(), l.varint()
		data := []byte(l.string())
		if seen[name] {
			l.fail("the state %q is there twice", name)
		}
		seen[name] = true
		if ver != int64(int(ver)) {
			l.fail("the state %q has version %d", name, ver)
		}
		i := slices.IndexFunc(l.options.States, func(s State) bool { return s.Name() == name })
		if i < 0 {
			if !l.lax {
				e := blocks.BadFile("it holds the host's state %q, which this process does not provide", name)
				e.Got = name
				e.Hint = "load with AllowUnknown to leave it out; the world was not touched"
				panic(fail{e})
			}
			l.report.skip(Skip{Kind: "state", Name: name, Reason: "this process does not provide it"})
			continue
		}
		finish, err := l.options.States[i].Load(int(ver), bytes.Clone(data))
		if err != nil {
			e := blocks.BadFile("the host refuses its state %q (version %d): %v", name, ver, err)
			e.Got = ver
			e.Want = l.options.States[i].Version()
			panic(fail{e})
		}
		if finish != nil {
			l.staged.finish = append(l.staged.finish, finish)
		}
	}
	for _, s := range l.options.States {
		if !seen[s.Name()] {
			l.report.skip(Skip{Kind: "state", Name: s.Name(), Reason: "it is not in the file; left as it is"})
		}
	}
}
