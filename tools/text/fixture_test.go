package text_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/text"
)

type kind int

func (k kind) String() string {
	if k < 0 || int(k) >= len(kinds) {
		return "?"
	}
	return kinds[k]
}

var kinds = []string{"Grunt", "Brute", "Sniper"}

type vec struct{ X, Y float64 }

type slot struct {
	Item  string `json:"item" jsonschema:"what lies there"`
	Count int    `json:"count" jsonschema:"how many" debug:"min=1,max=99"`
}

// Arguments of every kind of value.
type (
	healArgs struct {
		Entity ecs.Entity `json:"entity" jsonschema:"who is healed"`
		HP     int        `json:"HP" jsonschema:"points" debug:"min=0,max=9999,unit=hp"`
		Max    *int       `json:"max,omitempty" jsonschema:"the most points" debug:"min=1"`
		Note   string     `json:"note,omitempty" jsonschema:"why"`
	}
	enemyArgs struct {
		Kind   kind        `json:"kind" jsonschema:"what it is"`
		Mood   string      `json:"mood,omitempty" jsonschema:"how it feels" debug:"enum=calm|angry mob|afraid"`
		Target *ecs.Entity `json:"target,omitempty" jsonschema:"whom it hunts"`
		Aggro  float32     `json:"aggro,omitempty" jsonschema:"how much" debug:"min=0,max=1"`
		Wake   bool        `json:"wake,omitempty" jsonschema:"now"`
	}
	spriteArgs struct {
		At     vec           `json:"at" jsonschema:"where"`
		Tint   [4]uint8      `json:"tint,omitempty" jsonschema:"colour"`
		Layer  uint8         `json:"layer,omitempty" jsonschema:"which layer"`
		Angle  float64       `json:"angle,omitempty" jsonschema:"turned"`
		Fade   time.Duration `json:"fade,omitempty" jsonschema:"over which time"`
		Pixels []byte        `json:"pixels,omitempty" jsonschema:"what it shows"`
	}
	bagArgs struct {
		Owner ecs.Entity      `json:"owner" jsonschema:"whose"`
		Slots []slot          `json:"slots" jsonschema:"what is in it"`
		Tags  map[string]int  `json:"tags,omitempty" jsonschema:"counts by name"`
		Names []string        `json:"names,omitempty" jsonschema:"what it is called"`
		Grid  [][]int         `json:"grid,omitempty" jsonschema:"rows"`
		Best  *slot           `json:"best,omitempty" jsonschema:"the best one"`
		By    map[string]slot `json:"by,omitempty" jsonschema:"slots by name"`
		Crew  []ecs.Entity    `json:"crew,omitempty" jsonschema:"who carries it"`
	}
	lookArgs struct {
		Where string `json:"where,omitempty" jsonschema:"a condition"`
		Limit int    `json:"limit,omitempty" jsonschema:"how many" debug:"min=1,max=500,default=50"`
	}
	freeArgs struct {
		Values  map[string]json.RawMessage `json:"values,omitempty" jsonschema:"anything by name"`
		Payload json.RawMessage            `json:"payload,omitempty" jsonschema:"anything"`
	}
	done struct {
		OK bool `json:"ok" jsonschema:"whether it went well"`
	}
)

func registry(t testing.TB) *tools.Registry {
	t.Helper()
	r := tools.NewRegistry()
	r.MustRegister(
		tool[healArgs]("heal", "Gives an entity points."),
		tool[enemyArgs]("enemy_set", "Changes an enemy."),
		tool[spriteArgs]("sprite-place", "Places a sprite."),
		tool[bagArgs]("bag_fill", "Fills a bag."),
		tool[lookArgs]("look", "Looks around."),
		tool[freeArgs]("send", "Sends anything."),
		tool[struct{}]("stats", "Counts everything."),
		tool[struct{}]("2d_reset", "Starts over."),
	)
	ten, three := 10, 3.0
	hand := &tools.Tool{Spec: tools.Spec{Name: "by_hand", Description: "Has a schema that was written by hand.", Group: "hand"},
		InputSchema: &jsonschema.Schema{Type: "object", Required: []string{"id"}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			Properties: map[string]*jsonschema.Schema{
				"id":    {Type: "string", Pattern: "^[a-z]{1,4}[0-9]$", Description: "which"},
				"name":  {Type: "string", MaxLength: &ten, Description: "its name"},
				"half":  {Type: "number", ExclusiveMinimum: new(float64), Maximum: &three, Description: "a part"},
				"level": {Type: "integer", Enum: []any{1, 2, 3}, Description: "which level"},
				"flag":  {Type: "boolean", Description: "or not"},
			}},
		Handler: tools.HandlerFunc(func(*tools.Frame, json.RawMessage) (any, error) { return done{true}, nil })}
	r.MustRegister(hand)
	return r
}

func tool[In any](name, doc string) *tools.Tool {
	return tools.New(tools.Spec{Name: name, Description: doc, Group: "arena"}, func(*tools.Frame, In) (done, error) { return done{true}, nil })
}

func listing(t testing.TB) *text.Listing {
	t.Helper()
	r := registry(t)
	return text.Of(r, r.Validate)
}
