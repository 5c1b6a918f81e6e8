package shape_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/tools/text/internal/shape"
)

type colour uint8

func (c colour) String() string { return [...]string{"Red", "Green", "Blue"}[c%3] }

type inner struct {
	A int8 `json:"a"`
	B bool `json:"b,omitempty"`
}

type everything struct {
	Flag    bool             `json:"flag"`
	Byte    uint8            `json:"byte"`
	Small   int8             `json:"small"`
	Big     int64            `json:"big"`
	Word    uint64           `json:"word"`
	Ranged  int              `json:"ranged" debug:"min=1,max=9,unit=px"`
	Beyond  int8             `json:"beyond" debug:"min=-1000,max=1000"`
	Share   float32          `json:"share" debug:"min=0,max=1"`
	Loose   float64          `json:"loose"`
	AtLeast float64          `json:"atLeast" debug:"min=0.5"`
	Wait    time.Duration    `json:"wait"`
	Colour  colour           `json:"colour" debug:"enum=Red|Green|Blue"`
	Mode    string           `json:"mode" debug:"enum=fast|slow"`
	Text    string           `json:"text" jsonschema:"some words"`
	Bytes   []byte           `json:"bytes"`
	Four    [4]byte          `json:"four"`
	Who     ecs.Entity       `json:"who"`
	Maybe   *ecs.Entity      `json:"maybe,omitempty"`
	Three   [3]int           `json:"three"`
	Some    []ecs.Entity     `json:"some"`
	By      map[string]inner `json:"by"`
	In      inner            `json:"in"`
	Any     any              `json:"any"`
	Back    *everything      `json:"back,omitempty"`
	Preset  int              `json:"preset" debug:"default=3"`
	Fixed   int              `json:"fixed" debug:"readonly"`
}

// What people are told that an argument may be, in words, an example that fits,
// and whether it has to be given.
func TestOfFields(t *testing.T) {
	s := shape.OfFields(value.ArgsOf(reflect.TypeFor[everything]()).Root.Fields, 2, true)
	if s.AtLeast != 2 {
		t.Errorf("at least %d", s.AtLeast)
	}
	for name, want := range map[string]string{
		"flag":    "true or false|true|required",
		"byte":    "integer 0 to 255|7|required",
		"small":   "integer -128 to 127|7|required",
		"big":     "integer|7|required",
		"word":    "integer from 0|7|required",
		"ranged":  "integer 1 to 9 px|7|required",
		"beyond":  "integer -128 to 127|7|required",
		"share":   "number 0 to 1|1|required",
		"loose":   "number|1.5|required",
		"atLeast": "number from 0.5|1.5|required",
		"wait":    "nanoseconds or a duration such as 1.5s|7|required",
		"colour":  "Red, Green or Blue|\"Red\"|required",
		"mode":    "fast or slow|\"fast\"|required",
		"text":    "text|\"text\"|required",
		"bytes":   "bytes as base64|\"AAAA\"|required",
		"four":    "4 integers 0 to 255|[7,7,7,7]|required",
		"who":     "entity|\"42v3\"|required",
		"maybe":   "entity|\"42v3\"|",
		"three":   "3 integers|[7,7,7]|required",
		"some":    "list of entities|[\"42v3\"]|required",
		"by":      "by name: a integer -128 to 127, b true or false|{\"name\":{\"a\":7}}|required",
		"in":      "a integer -128 to 127, b true or false|{\"a\":7}|required",
		"any":     "any value|1|required",
		"preset":  "integer|7|",
	} {
		f := s.Field(name)
		if f == nil {
			t.Errorf("%s is missing", name)
			continue
		}
		example, err := json.Marshal(f.Example())
		if err != nil {
			t.Fatal(err)
		}
		required := ""
		if f.Required {
			required = "required"
		}
		if got := fmt.Sprintf("%s|%s|%s", f.Type(), example, required); got != want {
			t.Errorf("%s: %s\n want %s", name, got, want)
		}
	}
	if s.Field("fixed") != nil {
		t.Error("what only the game writes is no argument")
	}
	if got := s.Field("text").Doc; got != "some words" {
		t.Errorf("doc %q", got)
	}
	if who, maybe := s.Field("who"), s.Field("maybe"); who.None || !maybe.None {
		t.Errorf("null: %v and %v", who.None, maybe.None)
	}
	if got := fmt.Sprint(s.Field("share").Special, s.Field("loose").Special, s.Field("atLeast").Special); got != "[] [NaN Infinity -Infinity] [Infinity]" {
		t.Errorf("special words: %s", got)
	}
	if got := fmt.Sprint(s.Field("colour").Numbers, s.Field("three").Least, s.Field("some").Most); got != "[0 1 2] 3 -1" {
		t.Errorf("%s", got)
	}
	if got := s.Field("back").Type(); got != "any value" {
		t.Errorf("a type within itself: %s", got)
	}
	// An argument that reads like an entity and has ways of its own is the slot's
	// number too, for a tool that only reads.
	for readOnly, want := range map[bool]string{true: "entity, or its slot number", false: "entity"} {
		f := &value.Field{Name: "e", Kind: value.KindEntity, Go: reflect.TypeFor[string]()}
		if got := shape.OfFields([]*value.Field{f}, 0, readOnly).Field("e").Type(); got != want {
			t.Errorf("readOnly %v: %s", readOnly, got)
		}
	}
}

func TestXMLNames(t *testing.T) {
	for name, want := range map[string]string{
		"set_HP": "set_HP", "9lives": "_x0039_lives", "a b": "a_x0020_b", "-x": "_x002D_x", "x-1.y": "x-1.y", "_x0041_": "_x005F_x0041_", "é": "_x00E9_", "_x41_": "_x41_", "": "",
	} {
		got := shape.XMLName(name)
		if got != want || shape.PlainName(got) != name {
			t.Errorf("%q: %q, and back %q", name, got, shape.PlainName(got))
		}
	}
}
