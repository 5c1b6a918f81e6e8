package hosttools

import (
	"strconv"

	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

func Layers() []*tools.Tool {
	return tools.Family(tools.Spec{Group: "subsystems", NeedsApp: true, Effect: tools.ReadOnly},
		tools.New(tools.Spec{Name: "layers_list", Example: `{}`,
			Description: "The layers drawn in, backmost first."}, layersList),
		byNameOrNumber(tools.New(tools.Spec{Name: "layers_info", Example: `{"layer":0}`,
			Description: "One layer by its name or index."}, layersInfo), "layer"),
	)
}

type plainListArgs struct {
	Limit int `json:"limit,omitempty" jsonschema:"rows" debug:"min=1,max=1000,default=200"`
	page.Args
}

type layersListResult struct {
	Layers []host.Layer `json:"layers" jsonschema:"backmost first"`
	page.Info
}

func layersList(f *tools.Frame, in plainListArgs) (r layersListResult, err error) {
	if f.App.Layers == nil {
		return r, lacks("layers")
	}
	r.Layers, r.Info, err = page.Of("layers_list", f.App.Layers.List(), in.Limit, in.Args,
		func(l *host.Layer) string { return l.Name }, "layers_info tells about one")
	return r, err
}

type layersInfoArgs struct {
	Layer nameOrNumber `json:"layer" jsonschema:"name or index"`
}

func layersInfo(f *tools.Frame, in layersInfoArgs) (host.Layer, error) {
	if f.App.Layers == nil {
		return host.Layer{}, lacks("layers")
	}
	var names []string
	for _, l := range f.App.Layers.List() {
		if l.Name == in.Layer.text || strconv.Itoa(l.Index) == in.Layer.text {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return host.Layer{}, notNamed("layer", in.Layer.text, names, "layers_list")
}
