//go:build !nomcpdebug

package mcpdebug

import (
	"errors"
	"fmt"
	"testing"

	arche "github.com/mlange-42/arche/ecs"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/archeworld"
	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

// The components of the fixture "arena", beside Position.
type (
	Velocity struct {
		X float64 `debug:"unit=px/s"`
		Y float64 `debug:"unit=px/s"`
	}
	Armor struct {
		Points int `debug:"min=0,max=100,unit=hp" jsonschema:"what is left of it"`
		Max    int `debug:"readonly" jsonschema:"what it was made with"`
	}
	Monster struct {
		Kind   MonsterKind
		Target arche.Entity `jsonschema:"whom it hunts"`
		Mood   string       `debug:"enum=calm|angry"`
	}
	Bag struct {
		Slots []Slot
		Tags  map[string]int
		Note  string
		drops func() // the world holds a function, which no file can
	}
	Slot struct {
		Item  string
		Count int
	}
	Hero  struct{}
	Rider struct{ arche.Relation }
)

// The resources of the fixture "arena".
type (
	Score struct {
		Points int `debug:"min=0"`
		Waves  []Wave
	}
	Wave struct{ Enemies int }
)

type MonsterKind uint8

func (k MonsterKind) String() string {
	if k > 1 {
		return fmt.Sprintf("MonsterKind(%d)", uint8(k))
	}
	return [...]string{"Grunt", "Brute"}[k]
}

type armorArgs struct {
	Points int `json:"points" debug:"min=1,max=100" jsonschema:"how much to repair"`
}

type armorResult struct {
	Points int `json:"points" jsonschema:"points after the repair"`
}

func init() {
	value.Describe(
		value.Doc[Armor]("What stands between an entity and harm."),
		value.Computed("Ratio", func(a *Armor) float64 { return float64(a.Points) / float64(a.Max) }, "part that is left"),
		value.Action("Repair", func(a *Armor, in armorArgs) (armorResult, error) {
			if a.Points == a.Max {
				return armorResult{}, errors.New("it is whole")
			}
			a.Points = min(a.Points+in.Points, a.Max)
			return armorResult{a.Points}, nil
		}, "Gives points back, up to Max."),
		value.Default(Armor{Points: 10, Max: 20}),
	)
	value.Describe(value.Label(func(*Hero) string { return "hero" }))
	value.Describe(value.Label(func(m *Monster) string { return m.Kind.String() }))
}

// newArena makes a hero with a bag who is ridden by a parrot, and three
// monsters that hunt the hero, one of them without armour.
func newArena() *arche.World {
	w := arche.NewWorld()
	pos, vel, armor := arche.ComponentID[Position](&w), arche.ComponentID[Velocity](&w), arche.ComponentID[Armor](&w)
	monster, bag, hero, rider := arche.ComponentID[Monster](&w), arche.ComponentID[Bag](&w), arche.ComponentID[Hero](&w), arche.ComponentID[Rider](&w)
	arche.AddResource(&w, &Score{Points: 30, Waves: []Wave{{3}, {5}}})

	h := w.NewEntity(pos, vel, armor, bag, hero)
	*(*Position)(w.Get(h, pos)) = Position{10, 20}
	*(*Armor)(w.Get(h, armor)) = Armor{Points: 15, Max: 20}
	*(*Bag)(w.Get(h, bag)) = Bag{Slots: []Slot{{"potion", 2}, {"key", 1}}, Tags: map[string]int{"light": 1}, Note: "mind the gap"}
	for i := range 3 {
		ids := []arche.ID{pos, vel, monster, armor}
		if i == 2 {
			ids = ids[:3]
		}
		m := w.NewEntity(ids...)
		*(*Position)(w.Get(m, pos)) = Position{float64(100 * i), 50}
		*(*Velocity)(w.Get(m, vel)) = Velocity{X: -1}
		*(*Monster)(w.Get(m, monster)) = Monster{Kind: MonsterKind(i % 2), Target: h, Mood: "calm"}
		if i < 2 {
			*(*Armor)(w.Get(m, armor)) = Armor{Points: 4 + 8*i, Max: 20}
		}
	}
	parrot := w.NewEntity(pos, rider)
	w.Relations().Set(parrot, rider, h)
	return &w
}

// bindArena binds the arena with every subsystem there is. Its systems do
// nothing, so that the world changes only by what clients do.
func (g *fixture) bindArena(t *testing.T) {
	g.world, g.broken, g.states = newArena(), false, stateStack{"playing"}
	g.sched = schedule.New("update", "late")
	g.sched.Add("update", "movement", func() {}, schedule.Reads("Velocity"), schedule.Writes("Position"),
		schedule.Doc("Moves what has a velocity."), schedule.Entities(func() int { return 4 }))
	g.sched.Add("update", "combat", func() {}, schedule.Writes("Armor"))
	g.sched.Add("late", "camera", func() {})
	p := &arenaParts{world: g.world, zoom: 1}
	g.app = &host.App{Name: "arena", Summary: func() any { return map[string]string{"mood": "tense"} },
		Systems: g.sched, States: &g.states, Clock: &arenaClock{world: g.world, scale: 1}, Events: eventSink{g}, Camera: arenaCamera{p}, Layers: arenaLayers{}, Materials: arenaMaterials{},
		Render: arenaRender{p}, Physics: arenaPhysics{p}, Audio: arenaAudio{}, Screen: arenaScreen{p}}
	must(t, g.s.registry.RegisterPrompt(whyPrompt()))
	g.s.Bind(archeworld.New(g.world), g.app)
}

// whyPrompt is a prompt of the host's.
func whyPrompt() *tools.Prompt {
	return &tools.Prompt{Name: "why", Description: "Finds out why an entity misbehaves.",
		Arguments: []tools.PromptArgument{{Name: "entity", Description: "its id", Required: true,
			Complete: func(_ *tools.Call, prefix string, _ map[string]string) []string { return []string{prefix + "v0"} }}},
		Get: func(_ *tools.Call, args map[string]string) ([]tools.PromptMessage, error) {
			if _, _, err := ecs.ParseEntity(args["entity"]); err != nil {
				return nil, err
			}
			return []tools.PromptMessage{tools.UserText("Entity " + args["entity"] + " misbehaves. Call info first.")}, nil
		}}
}
