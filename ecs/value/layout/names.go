package layout

import (
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// shortName gives the name of a type without its package. Generics are
// flattened, because names become tool names and file names: Pair[int,game.Foo]
// is Pair_int_Foo.
func ShortName(t reflect.Type) string {
	name := typeName(t)
	if name == "" {
		name = goName(t)
	}
	return flattened(name)
}

func flattened(name string) string {
	if !strings.ContainsAny(name, "[]*.(){} ·") {
		return name
	}
	name = strings.ReplaceAll(name, "[]", " slice ")
	name = strings.ReplaceAll(name, "*", " ptr ")
	words := strings.FieldsFunc(name, func(r rune) bool {
		return r != '_' && r != '.' && r != '/' && r != '-' && r != '~' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	for i, w := range words {
		if dot := strings.LastIndexByte(w, '.'); dot >= 0 {
			w = w[dot+1:]
		}
		words[i] = strings.Map(func(r rune) rune {
			if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return '_'
		}, w)
	}
	return strings.Join(words, "_")
}

// qualifiedName is the short name behind the package's name: game.Position.
func QualifiedName(t reflect.Type) string {
	if typeName(t) == "" || PkgPath(t) == "" {
		return ShortName(t)
	}
	pkg := packageOf(goName(t))
	return pkg + "." + ShortName(t)
}

// packageOf is the package's name in a type's.
func packageOf(text string) string {
	pkg, _, _ := strings.Cut(text, ".")
	return pkg
}

// fullName is the import path and the name, type arguments in full: what tells
// any two types of a program apart (types local to functions aside).
func FullName(t reflect.Type) string {
	if name := typeName(t); name != "" {
		if pkg := PkgPath(t); pkg != "" {
			return pkg + "." + name
		}
		return name
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + FullName(t.Elem())
	case reflect.Slice:
		return "[]" + FullName(t.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + FullName(t.Elem())
	case reflect.Map:
		return "map[" + FullName(t.Key()) + "]" + FullName(t.Elem())
	}
	return t.String()
}

// modulesOnce reads the module paths that were linked in.
var modulesOnce = sync.OnceValue(func() (mods struct {
	main string
	all  []string
}) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return
	}
	mods.main = info.Main.Path
	mods.all = append(mods.all, info.Main.Path)
	for _, d := range info.Deps {
		mods.all = append(mods.all, d.Path)
	}
	return
})

// moduleOf gives the module that a package belongs to; "" is the standard
// library and the language itself.
func moduleOf(pkg string) string {
	mods := modulesOnce()
	if pkg == "main" || strings.HasPrefix(pkg, "main.") || pkg == "command-line-arguments" {
		if mods.main == "" {
			return "main"
		}
		return mods.main
	}
	pkg = strings.TrimSuffix(pkg, "_test")
	best := ""
	for _, m := range mods.all {
		if len(m) > len(best) && (pkg == m || strings.HasPrefix(pkg, m+"/")) {
			best = m
		}
	}
	if best != "" {
		return best
	}
	first, _, _ := strings.Cut(pkg, "/")
	if !strings.Contains(first, ".") {
		return ""
	}
	// No build information: the host, the owner and the repository.
	parts := strings.SplitN(pkg, "/", 4)
	return strings.Join(parts[:min(3, len(parts))], "/")
}

// sameModule reports whether the unexported fields of package pkg are the
// game's own to write, seen from a component declared in package root.
func SameModule(pkg, root string) bool {
	m := moduleOf(pkg)
	return m != "" && (root == "" || moduleOf(root) == m)
}
