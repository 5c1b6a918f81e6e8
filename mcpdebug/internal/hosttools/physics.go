package hosttools

import (
	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

func Physics() []*tools.Tool {
	return tools.Family(tools.Spec{Group: "subsystems", NeedsApp: true, Effect: tools.ReadOnly},
		tools.New(tools.Spec{Name: "physics_info", Example: `{}`,
			Description: "Bodies, contacts, and the bits of a raycast's mask."}, physicsInfo),
		tools.New(tools.Spec{Name: "physics_raycast", Example: `{"x1":0,"y1":100,"x2":600,"y2":100}`,
			Description: "What a straight line hits first. physics_info explains mask."}, raycast),
	)
}

func physicsInfo(f *tools.Frame, _ struct{}) (host.PhysicsInfo, error) {
	if f.App.Physics == nil {
		return host.PhysicsInfo{}, lacks("physics")
	}
	return f.App.Physics.Info(), nil
}

type raycastArgs struct {
	X1   float64 `json:"x1" jsonschema:"start x"`
	Y1   float64 `json:"y1" jsonschema:"start y"`
	X2   float64 `json:"x2" jsonschema:"end x"`
	Y2   float64 `json:"y2" jsonschema:"end y"`
	Mask *int64  `json:"mask,omitempty" jsonschema:"what can be hit; default: all" debug:"min=0,max=4294967295"`
}

type raycastResult struct {
	Hit      bool     `json:"hit" jsonschema:"whether anything is in the way"`
	Entity   string   `json:"entity,omitempty" jsonschema:"what was hit, if it is an entity"`
	Name     string   `json:"name,omitempty" jsonschema:"its label"`
	X        *float64 `json:"x,omitempty" jsonschema:"world x of the point"`
	Y        *float64 `json:"y,omitempty" jsonschema:"world y of the point"`
	NormalX  *float64 `json:"normalX,omitempty" jsonschema:"x of the surface's unit normal, against the ray"`
	NormalY  *float64 `json:"normalY,omitempty" jsonschema:"y of the surface's unit normal"`
	Fraction *float64 `json:"fraction,omitempty" jsonschema:"how far along the ray, 0 to 1"`
}

func raycast(f *tools.Frame, in raycastArgs) (r raycastResult, err error) {
	if f.App.Physics == nil {
		return r, lacks("physics")
	}
	for _, a := range []struct {
		name string
		v    float64
	}{{"x1", in.X1}, {"y1", in.Y1}, {"x2", in.X2}, {"y2", in.Y2}} {
		if err := mustBeFinite(a.name, a.v); err != nil {
			return r, err
		}
	}
	mask := ^uint32(0)
	if in.Mask != nil {
		mask = uint32(*in.Mask)
	}
	h, ok, err := f.App.Physics.Raycast(host.Ray{X1: in.X1, Y1: in.Y1, X2: in.X2, Y2: in.Y2, Mask: mask})
	if err != nil || !ok {
		return r, err
	}
	r = raycastResult{Hit: true, X: &h.X, Y: &h.Y, NormalX: &h.NormalX, NormalY: &h.NormalY, Fraction: &h.Fraction}
	if !h.Entity.IsZero() {
		r.Entity = h.Entity.String()
		if f.World != nil {
			if c, row, ok := f.World.Row(h.Entity); ok {
				r.Name = ecs.LabelOf(f.World.Catalog(), c, row)
			}
		}
	}
	return r, nil
}
