package hosttools

import (
	"strconv"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

func Materials() []*tools.Tool {
	return tools.Family(tools.Spec{Group: "subsystems", NeedsApp: true, Effect: tools.ReadOnly},
		tools.New(tools.Spec{Name: "materials_list", Example: `{}`,
			Description: "What sprites are drawn with."}, materialsList),
		byNameOrNumber(tools.New(tools.Spec{Name: "materials_info", Example: `{"material":0}`,
			Description: "One material by its name or number."}, materialsInfo), "material"),
	)
}

type materialsListResult struct {
	Materials []host.Material `json:"materials" jsonschema:"in the order of their numbers"`
	page.Info
}

func materialsList(f *tools.Frame, in plainListArgs) (r materialsListResult, err error) {
	if f.App.Materials == nil {
		return r, lacks("materials")
	}
	r.Materials, r.Info, err = page.Of("materials_list", f.App.Materials.List(), in.Limit, in.Args,
		func(m *host.Material) string { return strconv.Itoa(m.ID) }, "materials_info tells about one")
	return r, err
}

type materialsInfoArgs struct {
	Material nameOrNumber `json:"material" jsonschema:"name or number"`
}

func materialsInfo(f *tools.Frame, in materialsInfoArgs) (host.Material, error) {
	if f.App.Materials == nil {
		return host.Material{}, lacks("materials")
	}
	var names []string
	for _, m := range f.App.Materials.List() {
		if m.Name == in.Material.text || strconv.Itoa(m.ID) == in.Material.text {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return host.Material{}, notNamed("material", in.Material.text, names, "materials_list")
}
