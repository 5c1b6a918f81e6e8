package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools"
)

// promptHost is what the prompts need of the server.
type promptHost interface {
	offerHost
	appHost
	documentHost
}

// Prompts returns the openers that every server offers, one for each question
// people come with. Who may not call the tool that a prompt is about is not
// offered the prompt either.
func Prompts(h promptHost) []*tools.Prompt {
	var prompts []*tools.Prompt
	add := func(tool string, p *tools.Prompt) {
		if h.Offers(tool) {
			prompts = append(prompts, p)
		}
	}
	system := tools.PromptArgument{Name: "system", Description: "the system you suspect", Complete: completeSystems(h)}
	entity := tools.PromptArgument{Name: "entity", Description: "its id, such as 42v3; none: path is of a resource", Complete: func(c *tools.Call, prefix string, _ map[string]string) []string {
		return completeEntities(h)(c, "entity", prefix)
	}}
	path := tools.PromptArgument{Name: "path", Description: "what changed: Health.HP, or a component or resource", Complete: completePaths(h)}

	add("crash_report", &tools.Prompt{Name: "why_did_it_crash", Title: "Why did it crash?", Description: "Finds the cause of a crash.",
		Get: func(*tools.Call, map[string]string) ([]tools.PromptMessage, error) {
			return []tools.PromptMessage{tools.UserText(askCrash)}, nil
		}})
	add("profile_start", &tools.Prompt{Name: "why_is_it_slow", Title: "Why is it slow?", Description: "Finds what takes the frame's time.", Arguments: []tools.PromptArgument{system},
		Get: func(_ *tools.Call, args map[string]string) ([]tools.PromptMessage, error) {
			subject, only := "The game is", ""
			if s := args["system"]; s != "" {
				subject, only = fmt.Sprintf("System %q is", s), fmt.Sprintf(`, system:%q`, s)
			}
			return []tools.PromptMessage{tools.UserText(fmt.Sprintf(askSlow, subject, only))}, nil
		}})
	add("blame", &tools.Prompt{Name: "who_changed_this", Title: "Who changed this?", Description: "Finds the tick, and the system or call, that changed a value.",
		Arguments: []tools.PromptArgument{{Name: path.Name, Description: path.Description, Required: true, Complete: path.Complete}, entity},
		Get: func(_ *tools.Call, args map[string]string) ([]tools.PromptMessage, error) {
			what, arguments := args["path"], fmt.Sprintf(`path:%q`, args["path"])
			if e := args["entity"]; e != "" {
				if _, _, err := ecs.ParseEntity(e); err != nil {
					return nil, err
				}
				what, arguments = what+" of entity "+e, fmt.Sprintf(`entity:%q, `, e)+arguments
			}
			return []tools.PromptMessage{tools.UserText(fmt.Sprintf(askChanged, what, arguments))}, nil
		}})
	add("determinism_check", &tools.Prompt{Name: "is_it_deterministic", Title: "Is it deterministic?", Description: "Finds the first system whose result differs between two runs.", Arguments: []tools.PromptArgument{system},
		Get: func(_ *tools.Call, args map[string]string) ([]tools.PromptMessage, error) {
			suspect := ""
			if s := args["system"]; s != "" {
				suspect = fmt.Sprintf(" I suspect system %q: if another one is named, say so.", s)
			}
			return []tools.PromptMessage{tools.UserText(askDeterministic + suspect)}, nil
		}})
	return prompts
}

const (
	askCrash = `The game crashed, or did in its last run. Find out why.
1. crash_report: the panic, the system and entity, and the stack.
2. diagnose: what was odd before it.
3. For a value that the panic is about: history {entity, paths} over the last ticks, find_tick for where it went wrong, blame {entity, path} for who wrote it.
Answer with the cause (file:line, system, entity, tick), what you saw that proves it, and the smallest fix. Leave the world as the crash left it; call clear_crash {paused:true} only if what you need is refused.`

	askSlow = `%s slow. Find out why.
1. frame_times {frames:600%[2]s}: percentiles, spikes and whom they are blamed on. Steady or in spikes? (A game without a schedule has no such tool: go on.)
2. profile_start {kind:"cpu"%[2]s}, let it run for 5 s, then profile_stop: the functions that take the time.
3. diagnose, and stats for how many entities there are: does the time grow with them? For memory: profile_heap.
Answer with the system and function, its milliseconds a frame, the frames you looked at, and the smallest change that helps. If the game does not run (context says held), say so instead of measuring.`

	askChanged = `Find out who changed %s.
1. blame {%s, count:3}: tick, system or call, from and to.
2. history with the same entity and paths:[...]: is that the change I mean? If not, find_tick {where, entity} names the tick, and blame takes before.
3. For a call (not a system): the answer names who made it. A system: read its code for the line.
Answer with tick, system or caller, the value before and after, and why it was written. If the recording does not reach back, say since when it does.`

	askDeterministic = `Find out whether the game is deterministic.
1. determinism_check {ticks:120}: it runs the next ticks twice, aside, and puts the world back.
2. If they differ, it names the first tick, system, entity and path. Look at them with history and blame, and in that system's code for maps ranged over, the clock, a shared random source, goroutines, or state outside the world.
3. If they agree: once more with ticks:1000, where more of the game happens.
Answer with the verdict and the ticks it is for, the first difference, its cause, and the smallest fix.`
)

// completeSystems proposes the systems that the last frames ran.
func completeSystems(h promptHost) func(*tools.Call, string, map[string]string) []string {
	return func(_ *tools.Call, prefix string, _ map[string]string) []string {
		times := h.App().Times()
		if times == nil {
			return nil
		}
		return withPrefix(slices.Clone(times.History(0).Systems), prefix)
	}
}

// completePaths proposes components and, for no entity, resources; after a name
// and a dot its fields.
func completePaths(h promptHost) func(*tools.Call, string, map[string]string) []string {
	return func(_ *tools.Call, prefix string, others map[string]string) []string {
		cat := h.Catalog()
		if cat == nil {
			return nil
		}
		var all []string
		add := func(name string, t *value.Type) {
			all = append(all, name)
			if len(prefix) <= len(name) || !strings.EqualFold(prefix[:len(name)+1], name+".") {
				return
			}
			for _, f := range t.Fields {
				if !f.Hidden {
					all = append(all, name+"."+f.Name)
				}
			}
		}
		for _, c := range cat.Components {
			add(c.Name, c.Type)
		}
		if others["entity"] == "" {
			for _, r := range cat.Resources {
				add(r.Name, r.Type)
			}
		}
		return withPrefix(all, prefix)
	}
}
