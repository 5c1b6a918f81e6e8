package hosttools

import (
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

func Render() []*tools.Tool {
	return []*tools.Tool{tools.New(tools.Spec{Name: "render_info", Group: "subsystems", NeedsApp: true, Effect: tools.ReadOnly, Example: `{}`,
		Description: "How drawing goes: size, pictures, times."},
		func(f *tools.Frame, _ struct{}) (host.RenderInfo, error) {
			if f.App.Render == nil {
				return host.RenderInfo{}, lacks("renderer")
			}
			return f.App.Render.Info(), nil
		})}
}
