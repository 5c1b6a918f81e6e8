package hosttools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/internal/words"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/page"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

func Systems() []*tools.Tool {
	return tools.Family(tools.Spec{Group: "systems", NeedsApp: true},
		tools.New(tools.Spec{Name: "systems_list", Effect: tools.ReadOnly, Example: `{"phase":"movement"}`,
			Description: "Systems in running order with their times."}, systemsList),
		tools.NewPhased(tools.Spec{Name: "systems_info", Effect: tools.ReadOnly, Example: `{"name":"movement"}`,
			Description: "One system with its last 120 times. observe tells what it really changes, aside."},
			tools.Phases[systemsInfoArgs, *observing, systemsInfoResult, systemsInfoResult]{
				Before: func(_ *tools.Call, in systemsInfoArgs) (*observing, error) { return &observing{in: in}, nil }, Frame: systemsInfo}),
		tools.New(tools.Spec{Name: "systems_stop", Idempotent: true, Example: `{"name":"movement"}`,
			Description: "Skips systems until systems_start."}, systemsSwitch(false)),
		tools.New(tools.Spec{Name: "systems_start", Idempotent: true, Example: `{"name":"movement"}`,
			Description: "Lets stopped systems run again."}, systemsSwitch(true)),
	)
}

type systemsListArgs struct {
	Phase    string `json:"phase,omitempty" jsonschema:"only this phase"`
	Disabled bool   `json:"disabled,omitempty" jsonschema:"only stopped ones"`
	Detail   bool   `json:"detail,omitempty" jsonschema:"doc too"`
	Limit    int    `json:"limit,omitempty" jsonschema:"rows" debug:"min=1,max=1000,default=200"`
	page.Args
}

type systemsListResult struct {
	Systems []host.SystemInfo `json:"systems" jsonschema:"in running order"`
	page.Info
}

func systemsList(f *tools.Frame, in systemsListArgs) (r systemsListResult, err error) {
	if f.App.Systems == nil {
		return r, lacks("systems")
	}
	all := f.App.Systems.List()
	if in.Phase != "" {
		var phases []string
		for i := range all {
			if !slices.Contains(phases, all[i].Phase) {
				phases = append(phases, all[i].Phase)
			}
		}
		if !slices.Contains(phases, in.Phase) {
			return r, notNamed("phase", in.Phase, phases, "systems_list")
		}
	}
	// A copy: a host may return what it keeps.
	rows := slices.DeleteFunc(slices.Clone(all), func(s host.SystemInfo) bool {
		return in.Phase != "" && s.Phase != in.Phase || in.Disabled && s.Enabled
	})
	for i := range rows {
		s := &rows[i]
		s.LastMs, s.AvgMs, s.MaxMs = words.Thousandths(s.LastMs), words.Thousandths(s.AvgMs), words.Thousandths(s.MaxMs)
		if !in.Detail {
			s.Doc = ""
			if s.Source != "" { // which names the package
				s.Func = s.Func[strings.IndexByte(s.Func, '.')+1:]
			}
		}
	}
	r.Systems, r.Info, err = page.Of("systems_list", rows, in.Limit, in.Args,
		func(s *host.SystemInfo) string { return s.Name }, "name a phase, or ask for one system with systems_info")
	return r, err
}

// systemRow finds a system.
func systemRow(f *tools.Frame, name string) (host.SystemInfo, error) {
	if f.App.Systems == nil {
		return host.SystemInfo{}, lacks("systems")
	}
	all := f.App.Systems.List()
	names := make([]string, len(all))
	for i := range all {
		if all[i].Name == name {
			return all[i], nil
		}
		names[i] = all[i].Name
	}
	return host.SystemInfo{}, notNamed("system", name, names, "systems_list")
}

// infoTimes is how many times systems_info tells.
const infoTimes = 120

type systemTime struct {
	Frame uint64  `json:"frame" jsonschema:"the host frame"`
	Ms    float64 `json:"ms" jsonschema:"milliseconds that it took"`
}

type systemsInfoResult struct {
	host.SystemInfo
	Times []systemTime `json:"times" jsonschema:"its last 120 times, oldest first; empty where the host keeps none"`
	observed
}

func systemsInfo(f *tools.Frame, o *observing) (r systemsInfoResult, err error) {
	in := o.in
	if r.SystemInfo, err = systemRow(f, in.Name); err != nil {
		return r, err
	}
	if in.Observe > 0 {
		if r.observed, err = o.observe(f, r.SystemInfo); err != nil {
			return r, err
		}
	}
	r.Times = []systemTime{}
	clock := f.App.Times()
	if clock == nil {
		return r, nil
	}
	h := clock.History(1 << 16)
	column := slices.Index(h.Systems, in.Name)
	if column < 0 {
		return r, nil
	}
	for i := len(h.Frames) - 1; i >= 0 && len(r.Times) < infoTimes; i-- {
		if d := h.Frames[i].Systems[column]; d >= 0 {
			r.Times = append(r.Times, systemTime{h.Frames[i].Frame, words.Millis(d)})
		}
	}
	slices.Reverse(r.Times)
	return r, nil
}

// lacks is the refusal of a tool whose subsystem went away between listing and
// call: another app was bound.
func lacks(what string) error {
	return &refusal.Error{Code: refusal.NotSupported, Message: "this game provides no " + what, Hint: "capabilities names the interface that would bring it", Next: "capabilities"}
}

// notNamed is the refusal of a name that a list does not have.
func notNamed(what, got string, names []string, list string) error {
	return &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("no %s named %q", what, got), Got: got,
		Options: refusal.Nearest(got, names), Total: len(names), Hint: list + " names them all", Next: list}
}
