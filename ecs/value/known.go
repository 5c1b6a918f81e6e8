package value

import (
	"reflect"
	"slices"
)

// KnownTypes lists the types known under a name, as RegisterType, Describe and
// the worlds of this process made them known: short, qualified or full, also
// wrapped as in *T, []T, map[K]V. More than one means the name is ambiguous.
// Any goroutine may call it.
func KnownTypes(name string) []reflect.Type { return slices.Clone(typeByName(name)) }

// LearnType is RegisterType for a type met at run time. Any goroutine may call
// it; it is cheap for a type that is known.
func LearnType(t reflect.Type) {
	if t != nil {
		learnType(t)
	}
}
