package past

import (
	"time"

	"github.com/loupe-ecs/loupe/timeline"
	"github.com/loupe-ecs/loupe/tools"
)

type startArgs struct {
	Every    int  `json:"every,omitempty" jsonschema:"ticks a sample" debug:"min=1,max=600,default=1"`
	MemoryMB int  `json:"memoryMB,omitempty" jsonschema:"what samples may take" debug:"min=8,max=8192,default=256"`
	Pin      bool `json:"pin,omitempty" jsonschema:"when memory is full end recording, instead of forgetting the oldest"`
}

type startResult struct {
	Recording bool   `json:"recording" jsonschema:"whether samples are taken"`
	Every     int    `json:"every" jsonschema:"ticks from sample to sample"`
	MemoryMB  int    `json:"memoryMB" jsonschema:"what the samples may take"`
	FromTick  uint64 `json:"fromTick" jsonschema:"the first tick that is known"`
}

func (p *Past) startTool() *tools.Tool {
	return tools.New(tools.Spec{Name: "record_start", Effect: tools.Additive, Idempotent: true, NeedsWorld: true, Unlisted: true, WhenParked: true, Example: `{"every":1,"memoryMB":256}`,
		Description: "Records the whole world tick by tick, or changes how; what is recorded stays."},
		func(f *tools.Frame, in startArgs) (startResult, error) {
			p.rec.Bind(f.World, f.App)
			if err := p.start(timeline.Options{Every: in.Every, Memory: int64(in.MemoryMB) << 20, Pin: in.Pin}, f.Number); err != nil {
				return startResult{}, err
			}
			i := p.rec.Info()
			r := startResult{Recording: i.Recording, Every: i.Every, MemoryMB: int(i.Memory >> 20), FromTick: i.From}
			if i.Samples == 0 {
				r.FromTick = i.Tick
			}
			return r, nil
		})
}

type stopArgs struct {
	Discard bool `json:"discard,omitempty" jsonschema:"forget what is recorded"`
}

func (p *Past) stopTool() *tools.Tool {
	return tools.NewPhased(tools.Spec{Name: "record_stop", Effect: tools.Additive, Idempotent: true, Unlisted: true, WhenParked: true, WhenCrashed: true, Example: `{}`,
		Description: "Ends recording; what is recorded stays readable."},
		tools.Phases[stopArgs, stopArgs, stopArgs, infoResult]{
			Frame: func(_ *tools.Frame, in stopArgs) (stopArgs, error) {
				p.rec.Stop(in.Discard)
				p.watch(false)
				return in, nil
			},
			After: func(c *tools.Call, _ stopArgs) (infoResult, error) { return p.info(c, infoArgs{Marks: 20}) }})
}

type infoArgs struct {
	Marks int `json:"marks,omitempty" jsonschema:"the last" debug:"min=0,max=1000,default=50"`
}

type infoResult struct {
	Recording bool                  `json:"recording" jsonschema:"whether samples are taken"`
	Every     int                   `json:"every" jsonschema:"ticks from sample to sample"`
	Wanted    int                   `json:"wantedEvery,omitempty" jsonschema:"what was asked for: packing cannot keep up with it"`
	MemoryMB  int                   `json:"memoryMB" jsonschema:"what samples may take"`
	Samples   int                   `json:"samples" jsonschema:"how many there are, on all branches"`
	FromTick  uint64                `json:"fromTick" jsonschema:"the first recorded tick that led to the live world"`
	ToTick    uint64                `json:"toTick" jsonschema:"the last one"`
	Tick      uint64                `json:"tick" jsonschema:"the live world's"`
	Bytes     int64                 `json:"bytes" jsonschema:"what the samples take"`
	RawBytes  int64                 `json:"rawBytes" jsonschema:"what they would take as whole copies"`
	FrameUs   frameUs               `json:"frameUs" jsonschema:"what a sample costs the frame, in microseconds"`
	Dropped   int                   `json:"dropped" jsonschema:"samples that memory pushed out or that were left out because packing was behind"`
	LeftOut   int                   `json:"leftOut,omitempty" jsonschema:"those of them that were left out"`
	Stopped   string                `json:"stopped,omitempty" jsonschema:"why recording ended by itself"`
	Marks     []timeline.Mark       `json:"marks" jsonschema:"what happened, oldest first"`
	MoreMarks int                   `json:"moreMarks,omitempty" jsonschema:"older marks that are not shown"`
	Branches  []timeline.BranchInfo `json:"branches,omitempty" jsonschema:"where there are several: what was left behind by going back, as @tick/branch"`
	Rewound   *rewound              `json:"rewound,omitempty" jsonschema:"the live world is a past one"`
	Hint      string                `json:"hint,omitempty" jsonschema:"what to call"`
}

type frameUs struct {
	P50 float64 `json:"p50" jsonschema:"half of the samples cost less"`
	P99 float64 `json:"p99" jsonschema:"99 of 100 samples cost less"`
	Max float64 `json:"max" jsonschema:"the dearest"`
}

type rewound struct {
	Tick    uint64 `json:"tick" jsonschema:"which"`
	Present uint64 `json:"present" jsonschema:"tick of the present that is kept"`
	Undo    string `json:"undo" jsonschema:"the call that returns to it"`
}

func (p *Past) infoTool() *tools.Tool {
	return tools.NewOff(tools.Spec{Name: "record_info", Effect: tools.ReadOnly, Idempotent: true, Example: `{}`,
		Description: "What is recorded (record_start begins): ticks, marks of writes and errors."}, p.info)
}

func (p *Past) info(c *tools.Call, in infoArgs) (infoResult, error) {
	p.line(c.Context)
	i := p.rec.Info()
	us := func(d time.Duration) float64 { return float64(d.Round(10*time.Nanosecond)) / 1e3 }
	r := infoResult{Recording: i.Recording, Every: i.Every, MemoryMB: int(i.Memory >> 20), Samples: i.Samples, FromTick: i.From, ToTick: i.To, Tick: i.Tick,
		Bytes: i.Bytes, RawBytes: i.RawBytes, FrameUs: frameUs{us(i.Times.P50), us(i.Times.P99), us(i.Times.Max)},
		Dropped: i.Pushed + i.Dropped, LeftOut: i.Dropped, Stopped: i.Stopped, Marks: i.Marks}
	if i.Every != i.Wanted {
		r.Wanted = i.Wanted
	}
	if len(i.Branches) > 1 {
		r.Branches = i.Branches
	}
	if n := len(r.Marks) - in.Marks; n > 0 {
		r.Marks, r.MoreMarks = r.Marks[n:], n
	}
	r.MoreMarks += i.LostMarks
	if r.Marks == nil {
		r.Marks = []timeline.Mark{}
	}
	if i.Present != nil {
		r.Rewound = &rewound{Tick: i.At.Tick, Present: i.Present.Tick, Undo: undo}
	}
	switch {
	case i.Samples == 0:
		r.Hint = "nothing is recorded: record_start begins"
	case !i.Recording:
		r.Hint = "recording has ended: record_start goes on"
	}
	return r, nil
}
