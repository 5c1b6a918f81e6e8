package donburiworld

import (
	"reflect"

	"github.com/yohamta/donburi/component"

	"github.com/loupe-ecs/loupe/ecs/value"
)

// donburi's features/events makes a component type of the event's type and puts
// a bus of another type into it. Whoever took the declared type for the truth
// would read and write beyond the value.

const eventsPackage = "github.com/yohamta/donburi/features/events"

// isBusTag reports whether a component marks its entity as an event bus.
func isBusTag(c component.IComponentType) bool {
	return c.Typ().PkgPath() == eventsPackage && c.Typ().Name() == "eventTypeData"
}

// busType is what the bus of an event really is: a list of functions, and the
// events that wait.
func busType(c component.IComponentType) *value.Type {
	t := reflect.StructOf([]reflect.StructField{
		{Name: "Subscribers", Type: reflect.TypeFor[[]func()]()},
		{Name: "Queue", Type: reflect.SliceOf(c.Typ())},
	})
	return value.ComponentOf(t, c.Name()+"Bus", reflect.Value{})
}
