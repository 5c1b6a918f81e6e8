package ebitenloupe

import (
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools/host"
)

// Key is what send_event key takes.
type Key struct {
	Key  string `json:"key" jsonschema:"name of the key as Ebitengine has it: A, Space, ArrowLeft"`
	Down bool   `json:"down" jsonschema:"true: pressed, until an event says false"`
}

// Pointer is what send_event pointer takes.
type Pointer struct {
	X      int    `json:"x" debug:"unit=px" jsonschema:"place on the game's screen"`
	Y      int    `json:"y" debug:"unit=px" jsonschema:"place on the game's screen"`
	Button string `json:"button,omitempty" jsonschema:"left, right or middle; left out: the pointer only moves"`
	Down   bool   `json:"down,omitempty" jsonschema:"whether the button is pressed from now on"`
}

var buttons = map[string]ebiten.MouseButton{"left": ebiten.MouseButtonLeft, "right": ebiten.MouseButtonRight, "middle": ebiten.MouseButtonMiddle}

// input is what clients hold down. All but sent is the frame goroutine's.
type input struct {
	next   host.EventSink // the game's own
	queue  []any
	keys   map[ebiten.Key]bool
	just   map[ebiten.Key]bool // went down in this tick
	mouse  map[ebiten.MouseButton]bool
	at     [2]int
	placed bool // the pointer is where a client put it
	real   [2]int
}

// sent is what the game that was wrapped last is sent.
var sent atomic.Pointer[input]

func take(next host.EventSink) *input {
	in := &input{next: next, keys: map[ebiten.Key]bool{}, just: map[ebiten.Key]bool{}, mouse: map[ebiten.MouseButton]bool{}}
	sent.Store(in)
	return in
}

// Kinds implements [host.EventSink].
func (in *input) Kinds() []host.EventKind {
	kinds := []host.EventKind{
		{Name: "key", Doc: "A key goes down or up, from the next tick on.", Payload: reflect.TypeFor[Key]()},
		{Name: "pointer", Doc: "The pointer moves, and a button goes down or up.", Payload: reflect.TypeFor[Pointer]()},
	}
	if in.next != nil {
		kinds = append(kinds, in.next.Kinds()...)
	}
	return kinds
}

// Push implements [host.EventSink].
func (in *input) Push(kind string, payload any) error {
	switch p := payload.(type) {
	case Key:
		var k ebiten.Key
		if err := k.UnmarshalText([]byte(p.Key)); err != nil {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: "there is no key " + p.Key, Got: p.Key, Options: refusal.Nearest(p.Key, keyNames()), Total: int(ebiten.KeyMax) + 1}
		}
	case Pointer:
		if _, ok := buttons[p.Button]; !ok && p.Button != "" {
			return &refusal.Error{Code: refusal.InvalidArguments, Message: "there is no button " + p.Button, Got: p.Button, Options: []string{"left", "right", "middle"}}
		}
	default:
		if in.next != nil {
			return in.next.Push(kind, payload)
		}
	}
	in.queue = append(in.queue, payload)
	return nil
}

func keyNames() (names []string) {
	for k := ebiten.Key(0); k <= ebiten.KeyMax; k++ {
		if n := k.String(); n != "" {
			names = append(names, n)
		}
	}
	return names
}

// tick makes what was sent true for the tick that comes. A key that is sent down
// and up at once is down for one tick.
func (in *input) tick() {
	clear(in.just)
	touched := map[any]bool{}
	in.queue = slices.DeleteFunc(in.queue, func(event any) bool {
		switch p := event.(type) {
		case Key:
			var k ebiten.Key
			_ = k.UnmarshalText([]byte(p.Key))
			if touched[k] {
				return false
			}
			touched[k] = true
			in.just[k] = p.Down && !in.keys[k]
			in.keys[k] = p.Down
		case Pointer:
			if touched[p.Button] {
				return false
			}
			touched[p.Button] = true
			in.at, in.placed = [2]int{p.X, p.Y}, true
			in.real[0], in.real[1] = ebiten.CursorPosition()
			if p.Button != "" {
				in.mouse[buttons[p.Button]] = p.Down
			}
		}
		return true
	})
}

// IsKeyPressed reports whether a key is down: on the keyboard, or by a client.
func IsKeyPressed(k ebiten.Key) bool {
	in := sent.Load()
	return ebiten.IsKeyPressed(k) || in != nil && in.keys[k]
}

// IsKeyJustPressed reports whether a key went down in this tick.
func IsKeyJustPressed(k ebiten.Key) bool {
	in := sent.Load()
	return inpututil.IsKeyJustPressed(k) || in != nil && in.just[k]
}

// IsMouseButtonPressed reports whether a button is down.
func IsMouseButtonPressed(b ebiten.MouseButton) bool {
	in := sent.Load()
	return ebiten.IsMouseButtonPressed(b) || in != nil && in.mouse[b]
}

// CursorPosition is where the pointer is: where a client has put it, until
// somebody moves the real one.
func CursorPosition() (x, y int) {
	x, y = ebiten.CursorPosition()
	in := sent.Load()
	if in == nil || !in.placed {
		return x, y
	}
	if [2]int{x, y} != in.real {
		in.placed = false
		return x, y
	}
	return in.at[0], in.at[1]
}
