package timeline

import (
	"reflect"
	"unsafe"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/imageworld"
	"github.com/loupe-ecs/loupe/ecs/value"
)

// Own is [Line.World] in memory of its own: values that hold pointers are copied
// when they are asked for, so that who writes to them spoils no recording.
func (l *Line) Own(r Ref) *imageworld.World {
	c := l.at(r)
	return imageworld.Of(c.d.types, &own{source: c.src, columns: map[[2]int]reflect.Value{}, resources: map[ecs.TypeID]reflect.Value{}})
}

// own is a source that copies what the recording shares.
type own struct {
	*source
	columns   map[[2]int]reflect.Value
	resources map[ecs.TypeID]reflect.Value
}

func (o *own) Column(i, k int) unsafe.Pointer {
	comps, _, rows := o.Archetype(i)
	t := o.d.types.Components[comps[k]].Type
	p := o.source.Column(i, k)
	if t.PointerFree {
		return p
	}
	v, ok := o.columns[[2]int{i, k}]
	if !ok {
		v = value.CopyColumn(t, value.Column{Base: p, Stride: t.Size}, rows)
		o.columns[[2]int{i, k}] = v
	}
	return v.UnsafePointer()
}

func (o *own) Resource(id ecs.TypeID) (reflect.Value, bool) {
	v, ok := o.source.Resource(id)
	if !ok || o.d.types.Resources[id].Type.PointerFree {
		return v, ok
	}
	mine, have := o.resources[id]
	if !have {
		mine = value.Copy(v)
		o.resources[id] = mine
	}
	return mine, true
}
