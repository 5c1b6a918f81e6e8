package hosttools

import (
	"slices"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

type switchArgs struct {
	Name   string   `json:"name,omitempty" jsonschema:"its name"`
	Names  []string `json:"names,omitempty" jsonschema:"or several"`
	Except []string `json:"except,omitempty" jsonschema:"or all but these"`
}

// switchResult is the row of one system, or which of several were switched.
type switchResult struct {
	*host.SystemInfo
	Switched []string `json:"switched,omitempty" jsonschema:"of names or except: those that were switched"`
	Already  []string `json:"already,omitempty" jsonschema:"those that were as asked before"`
}

func systemsSwitch(on bool) func(*tools.Frame, switchArgs) (switchResult, error) {
	return func(f *tools.Frame, in switchArgs) (r switchResult, err error) {
		if f.App.Systems == nil {
			return r, lacks("systems")
		}
		all := f.App.Systems.List()
		list, err := chosenSystems(all, in)
		if err != nil {
			return r, err
		}
		for _, s := range list {
			if in.Name == "" && s.Enabled == on {
				r.Already = append(r.Already, s.Name)
				continue
			}
			if err := f.App.Systems.SetEnabled(s.Name, on); err != nil {
				for _, name := range r.Switched {
					_ = f.App.Systems.SetEnabled(name, !on) // it took the name a moment ago
				}
				return switchResult{}, err
			}
			r.Switched = append(r.Switched, s.Name)
		}
		if in.Name != "" {
			row, err := systemRow(f, in.Name)
			return switchResult{SystemInfo: &row}, err
		}
		return r, nil
	}
}

// chosenSystems are those that the arguments mean, in running order.
func chosenSystems(all []host.SystemInfo, in switchArgs) ([]host.SystemInfo, error) {
	named := 0
	for _, is := range []bool{in.Name != "", len(in.Names) > 0, in.Except != nil} {
		if is {
			named++
		}
	}
	if named != 1 {
		return nil, &refusal.Error{Code: refusal.InvalidArguments, Message: "say which systems: name, names or except, one of them",
			Options: []string{"name", "names", "except"}, Total: 3, Hint: "systems_list names the systems", Next: "systems_list"}
	}
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = all[i].Name
	}
	asked := slices.Concat(in.Names, in.Except)
	if in.Name != "" {
		asked = []string{in.Name}
	}
	for _, name := range asked {
		if !slices.Contains(texts, name) {
			return nil, notNamed("system", name, texts, "systems_list")
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(s host.SystemInfo) bool {
		return slices.Contains(asked, s.Name) != (in.Except == nil)
	}), nil
}
