package builtin

import "github.com/loupe-ecs/loupe/tools"

func init() {
	subsystems = append(subsystems, subsystem{
		rank: 730, name: "render", provides: "App.Render (tools.Render: Info)",
		present: func(a *tools.App) bool { return a.Render != nil },
		tools: func(Host) []*tools.Tool {
			return []*tools.Tool{tools.New(tools.Spec{Name: "render_info", Group: "subsystems", NeedsApp: true, ReadOnly: true, Example: `{}`,
				Description: "How drawing goes: size, pictures, times."},
				func(f *tools.Frame, _ struct{}) (tools.RenderInfo, error) {
					if f.App.Render == nil {
						return tools.RenderInfo{}, lacks("renderer")
					}
					return f.App.Render.Info(), nil
				})}
		},
	})
}
