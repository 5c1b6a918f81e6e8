package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/loupe-ecs/loupe/ecs"
	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/ecs/value"
	"github.com/loupe-ecs/loupe/internal/arguments"
)

// New makes a tool of a typed function that runs on the frame goroutine. The
// result is encoded off the frame: it must not alias memory that the game goes
// on changing (copy what the answer needs).
//
// It panics if In or Out cannot be a JSON object: a mistake of the program,
// found at start.
func New[In, Out any](spec Spec, f func(*Frame, In) (Out, error)) *Tool {
	return NewPhased(spec, Phases[In, In, Out, Out]{
		Frame: func(fr *Frame, in In) (Out, error) { return f(fr, in) },
	})
}

// NewOff makes a tool that never touches the world: f runs off the frame
// goroutine, in every state. It sets OffFrame.
func NewOff[In, Out any](spec Spec, f func(*Call, In) (Out, error)) *Tool {
	spec.OffFrame = true
	return typed[In, Out](spec, func(c *Call, in In) (Job, error) {
		return Job{Finish: func(c *Call) (*Result, error) {
			out, err := f(c, in)
			if err != nil {
				return nil, err
			}
			return EncodeResult(out)
		}}, nil
	})
}

// Phases are the parts of a tool made by [NewPhased]. Before and After run off
// the frame goroutine, Frame on it. A nil Before needs Prep to be In; a nil
// After needs Copy to be Out.
type Phases[In, Prep, Copy, Out any] struct {
	Before func(*Call, In) (Prep, error)
	Frame  func(*Frame, Prep) (Copy, error)
	After  func(*Call, Copy) (Out, error)
	// Instead may give a frame to run on instead of the game's: its World is one
	// that is not live. All parts then run off the frame goroutine, Before with
	// its Catalog, and a result that implements [AtTick] is told the frame's Tick.
	// Nil, or a nil frame: the game's own.
	Instead func(*Call, In) (*Frame, error)
}

// AtTick is implemented by results of tools that can read a recorded world.
type AtTick interface{ AtTick(tick uint64) }

// NewPhased makes a tool in three parts.
func NewPhased[In, Prep, Copy, Out any](spec Spec, p Phases[In, Prep, Copy, Out]) *Tool {
	if p.Frame == nil {
		panic("tools: " + spec.Name + ": a phased tool needs its Frame part (use NewOff for one that has none)")
	}
	phased := p.Before != nil || p.After != nil
	if p.Before == nil {
		p.Before = func(_ *Call, in In) (Prep, error) { return convert[Prep](in), nil }
	}
	if p.After == nil {
		p.After = func(_ *Call, c Copy) (Out, error) { return convert[Out](c), nil }
	}
	t := typed[In, Out](spec, func(c *Call, in In) (Job, error) {
		var instead *Frame
		if p.Instead != nil {
			var err error
			if instead, err = p.Instead(c, in); err != nil {
				return Job{}, err
			}
			if instead != nil {
				c.Catalog = instead.Catalog
			}
		}
		prep, err := p.Before(c, in)
		if err != nil {
			return Job{}, err
		}
		var copied Copy
		return Job{
			Instead: instead,
			Frame: func(f *Frame) (err error) {
				copied, err = p.Frame(f, prep)
				return err
			},
			Finish: func(c *Call) (*Result, error) {
				out, err := p.After(c, copied)
				if err != nil {
					return nil, err
				}
				if instead != nil {
					return EncodeResult(stamped(&out, instead.Tick))
				}
				return EncodeResult(out)
			},
		}, nil
	})
	t.Handler.(*typedHandler[In]).phased = phased
	return t
}

// stamped is a result that knows which recorded tick it is of.
func stamped[Out any](out *Out, tick *uint64) any {
	if tick != nil {
		if at, ok := any(out).(AtTick); ok { // a struct
			at.AtTick(*tick)
		} else if at, ok := any(*out).(AtTick); ok { // a pointer
			at.AtTick(*tick)
		}
	}
	return *out
}

func convert[To, From any](v From) To {
	to, ok := any(v).(To)
	if !ok {
		panic(fmt.Sprintf("tools: a part is missing: %T is no %v", v, reflect.TypeFor[To]()))
	}
	return to
}

// typedHandler decodes arguments into In and hands them on.
type typedHandler[In any] struct {
	args    *value.Type
	job     func(*Call, In) (Job, error)
	phased  bool // has a part before or after
	content bool // answers a WithContent
	// entities: there are entities among the arguments, which must live.
	entities bool
}

func typed[In, Out any](spec Spec, job func(*Call, In) (Job, error)) *Tool {
	t := &Tool{Spec: spec}
	var err error
	if t.InputSchema, err = SchemaOf[In](); err == nil {
		t.OutputSchema, err = outputSchema(reflect.TypeFor[Out]())
	}
	if err != nil {
		panic("tools: " + spec.Name + ": " + err.Error())
	}
	content := reflect.TypeFor[Out]().Implements(reflect.TypeFor[WithContent]())
	if content {
		t.OutputSchema = nil
	}
	args := value.ArgsOf(reflect.TypeFor[In]())
	t.Fields = args.Fields
	t.Handler = &typedHandler[In]{args: args, job: job, content: content, entities: args.Root.HoldsEntities()}
	return t
}

// HasPhases: it has a part before or after of its own. The server asks.
func (h *typedHandler[In]) HasPhases() bool { return h.phased }

// Prepare implements [Handler].
func (h *typedHandler[In]) Prepare(c *Call, raw json.RawMessage) (Job, error) {
	var in In
	v, err := arguments.Decode(h.args, raw)
	if err != nil {
		return Job{}, err
	}
	reflect.ValueOf(&in).Elem().Set(v)
	job, err := h.job(c, in)
	if h.entities && job.Frame != nil {
		frame := job.Frame
		job.Frame = func(f *Frame) error {
			if f.World != nil {
				if err := ecs.CheckEntities(f.World, v, ""); err != nil {
					return err
				}
			}
			return frame(f)
		}
	}
	return job, err
}

// Domain makes a tool whose function gets a backend that the host provided
// once with [Provide]: a simulation, a level editor, an asset store. The
// backend is no argument; its absence is a refusal that says what to provide.
// The function runs on the frame goroutine (FrameOf(ctx) is the frame), or off
// it if the spec says OffFrame.
func Domain[B, In, Out any](spec Spec, f func(ctx context.Context, backend B, in In) (Out, error)) *Tool {
	want := reflect.TypeFor[B]()
	find := func(c *Call) (B, error) {
		b, ok := Provided[B](c.Registry)
		if !ok {
			return b, &refusal.Error{Code: refusal.NotSupported,
				Message: fmt.Sprintf("%s needs a %v, and this game provides none", spec.Name, want),
				Want:    want.String(), Hint: fmt.Sprintf("the host calls tools.Provide(registry, value) with a %v", want)}
		}
		return b, nil
	}
	if spec.OffFrame {
		return NewOff(spec, func(c *Call, in In) (Out, error) {
			b, err := find(c)
			if err != nil {
				var none Out
				return none, err
			}
			return f(c.Context, b, in)
		})
	}
	type prepared struct {
		backend B
		in      In
	}
	t := NewPhased(spec, Phases[In, prepared, Out, Out]{
		Before: func(c *Call, in In) (prepared, error) {
			b, err := find(c)
			return prepared{b, in}, err
		},
		Frame: func(fr *Frame, p prepared) (Out, error) {
			return f(context.WithValue(fr.Call.Context, frameKey{}, fr), p.backend, p.in)
		},
	})
	// Its part before only looks the backend up.
	t.Handler.(*typedHandler[In]).phased = false
	return t
}
