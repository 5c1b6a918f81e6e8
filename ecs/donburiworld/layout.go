package donburiworld

import (
	"reflect"
	"unsafe"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/component"

	"github.com/loupe-ecs/loupe/ecs/engine"
)

var donburiEngine = engine.Engine{Name: "donburi", Module: "github.com/yohamta/donburi", Version: "1.15.7", MaxTypes: 1 << 30}

// The mirrors of donburi's types: names, kinds, sizes and offsets of all fields
// are compared with the real ones when the program starts.
type (
	world struct {
		id              int
		index           *index
		entities        *locationMap
		components      *components
		archetypes      []*archetype
		destroyed       []donburi.Entity
		entries         []*entry
		nextEntityId    uint32
		removeCallbacks []func(world donburi.World, entity donburi.Entity)
		createCallbacks []func(world donburi.World, entity donburi.Entity)
	}
	index       struct{ layouts [][]component.IComponentType }
	locationMap struct {
		LocationMap []*location
		Len         int
	}
	location struct {
		Archetype int
		Component int
		Valid     bool
	}
	components struct {
		storages         []*storage
		componentIndices map[int]int
	}
	storage   struct{ storages [][]unsafe.Pointer }
	archetype struct {
		index    int
		entities []donburi.Entity
		layout   *layout
		lock     mutex
	}
	layout struct{ componentTypes []component.IComponentType }
	entry  struct {
		World  *world
		id     uint32
		entity donburi.Entity
		loc    *location
	}
	// mutex stands for sync.Mutex, which the adapter leaves alone.
	mutex [8]byte
)

// layoutErr says why the mirrors do not fit; nil if they do.
var layoutErr = func() error {
	w := donburi.NewWorld()
	t := reflect.TypeOf(w)
	if t.Kind() != reflect.Pointer {
		return donburiEngine.Differs("World", "kind")
	}
	if err := donburiEngine.SameLayout(reflect.TypeFor[world](), t.Elem(), "World", reflect.TypeFor[mutex]()); err != nil {
		return err
	}
	return donburiEngine.SameLayout(reflect.TypeFor[entry](), reflect.TypeFor[donburi.Entry](), "Entry", reflect.TypeFor[mutex]())
}()

func noLayout() error {
	if layoutErr != nil {
		return layoutErr
	}
	return donburiEngine.Differs("World", "layout")
}

// inner looks through the verified layout.
func (w *World) inner() *world { return (*world)(reflect.ValueOf(w.dw).UnsafePointer()) }
