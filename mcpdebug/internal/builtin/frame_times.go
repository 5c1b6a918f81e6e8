package builtin

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/mcpdebug/internal/inspector"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

func frameTimesTools(h appHost) []*tools.Tool {
	return []*tools.Tool{tools.NewOff(tools.Spec{
		Name: "frame_times", Group: "profile", Page: inspector.URI, Effect: tools.ReadOnly,
		Description: "How long the last frames took: percentiles, spikes and whom to blame, each system's times.",
		Example:     `{"frames":300}`,
	}, func(_ *tools.Call, in frameTimesArgs) (frameTimesResult, error) { return frameTimes(h.App(), in) })}
}

type frameTimesArgs struct {
	Frames int    `json:"frames,omitempty" jsonschema:"frames back" debug:"min=1,max=600,default=600"`
	System string `json:"system,omitempty" jsonschema:"this system alone"`
	Rows   int    `json:"rows,omitempty" jsonschema:"also list so many of the newest frames" debug:"min=0,max=120"`
}

type frameTimesResult struct {
	Frames    int           `json:"frames" jsonschema:"how many frames were looked at"`
	From      uint64        `json:"fromFrame" jsonschema:"the oldest of them"`
	To        uint64        `json:"toFrame" jsonschema:"the newest of them"`
	AvgMs     float64       `json:"avgMs" jsonschema:"mean milliseconds in systems a frame"`
	P50Ms     float64       `json:"p50Ms" jsonschema:"median milliseconds"`
	P95Ms     float64       `json:"p95Ms" jsonschema:"95th percentile in milliseconds"`
	P99Ms     float64       `json:"p99Ms" jsonschema:"99th percentile in milliseconds"`
	MaxMs     float64       `json:"maxMs" jsonschema:"longest frame in milliseconds"`
	Spikes    []spike       `json:"spikes" jsonschema:"frames that took over twice the median and half a millisecond more, longest first, at most 10"`
	Sparkline string        `json:"sparkline" jsonschema:"the frames in time order, each character the longest of an equal share of them"`
	Systems   []systemTimes `json:"systems" jsonschema:"each system's times, costliest first"`
	Running   string        `json:"running,omitempty" jsonschema:"the system that runs now"`
	Hint      string        `json:"hint,omitempty" jsonschema:"what the numbers do not tell"`
	Rows      []frameRow    `json:"rows,omitempty" jsonschema:"the newest frames, oldest first"`
}

type frameRow struct {
	Frame   uint64             `json:"frame" jsonschema:"the host frame"`
	Ms      float64            `json:"ms" jsonschema:"milliseconds the frame took in systems"`
	Systems map[string]float64 `json:"systems" jsonschema:"milliseconds of each system that ran"`
}

type spike struct {
	Frame  uint64  `json:"frame" jsonschema:"the host frame"`
	Ms     float64 `json:"ms" jsonschema:"milliseconds the frame took in systems"`
	System string  `json:"system" jsonschema:"the system furthest above its own median"`
}

type systemTimes struct {
	System string  `json:"system" jsonschema:"its name"`
	Phase  string  `json:"phase" jsonschema:"phase it runs in"`
	AvgMs  float64 `json:"avgMs" jsonschema:"mean milliseconds of its runs"`
	P95Ms  float64 `json:"p95Ms" jsonschema:"95th percentile in milliseconds"`
	MaxMs  float64 `json:"maxMs" jsonschema:"longest run in milliseconds"`
	Runs   int     `json:"runs" jsonschema:"frames in which it ran"`
}

func frameTimes(app *host.App, in frameTimesArgs) (r frameTimesResult, err error) {
	times := app.Times()
	if times == nil {
		return r, &refusal.Error{Code: refusal.NotSupported, Message: "this game provides no frame times", Next: "capabilities"}
	}
	if in.Frames == 0 {
		in.Frames = 600
	}
	h := times.History(in.Frames)
	only := -1
	if in.System != "" {
		if only = slices.Index(h.Systems, in.System); only < 0 {
			return r, &refusal.Error{Code: refusal.NotFound, Message: fmt.Sprintf("no system named %q", in.System), Got: in.System,
				Options: refusal.Nearest(in.System, h.Systems), Total: len(h.Systems), Next: "systems_list"}
		}
	}
	r.Running, _ = times.Running()
	r.Frames, r.Spikes, r.Systems = len(h.Frames), []spike{}, []systemTimes{}
	if len(h.Frames) == 0 {
		return r, nil
	}
	r.From, r.To = h.Frames[0].Frame, h.Frames[len(h.Frames)-1].Frame
	all := make([]time.Duration, len(h.Frames))
	for i, f := range h.Frames {
		all[i] = f.Busy
		if only >= 0 {
			all[i] = max(0, f.Systems[only])
		}
	}
	sorted := slices.Sorted(slices.Values(all))
	r.AvgMs, r.P50Ms, r.P95Ms, r.P99Ms, r.MaxMs = millis(mean(all)), millis(percentile(sorted, 0.50)), millis(percentile(sorted, 0.95)), millis(percentile(sorted, 0.99)), millis(sorted[len(sorted)-1])
	r.Sparkline = sparkline(all, 60)
	if n := framesWithoutATick(h); n > 0 {
		r.Hint = fmt.Sprintf("in %d of the %d frames few systems or none ran, as while time stands still: their times are no ticks'; clock_info and states_info tell why", n, len(h.Frames))
	}

	medians := make([]time.Duration, len(h.Systems))
	for i, name := range h.Systems {
		var runs []time.Duration
		for _, f := range h.Frames {
			if f.Systems[i] >= 0 {
				runs = append(runs, f.Systems[i])
			}
		}
		if len(runs) == 0 {
			continue
		}
		avg := mean(runs)
		slices.Sort(runs)
		medians[i] = percentile(runs, 0.5)
		if only < 0 || only == i {
			r.Systems = append(r.Systems, systemTimes{System: name, Phase: h.Phases[i], AvgMs: millis(avg), P95Ms: millis(percentile(runs, 0.95)), MaxMs: millis(runs[len(runs)-1]), Runs: len(runs)})
		}
	}
	slices.SortStableFunc(r.Systems, func(a, b systemTimes) int { return cmp.Compare(b.AvgMs, a.AvgMs) })
	r.Spikes = spikes(h, all, percentile(sorted, 0.5), medians)
	for i := max(0, len(h.Frames)-in.Rows); i < len(h.Frames); i++ {
		row := frameRow{Frame: h.Frames[i].Frame, Ms: millis(all[i]), Systems: map[string]float64{}}
		for k, d := range h.Frames[i].Systems {
			if d >= 0 && (only < 0 || only == k) {
				row.Systems[h.Systems[k]] = millis(d)
			}
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

// framesWithoutATick counts the frames in which fewer than half of the systems
// ran that run in the busiest one: the simulation stood still in them.
func framesWithoutATick(h host.History) (n int) {
	ran := make([]int, len(h.Frames))
	for i, f := range h.Frames {
		for _, d := range f.Systems {
			if d >= 0 {
				ran[i]++
			}
		}
	}
	for _, k := range ran {
		if 2*k < max(len(h.Systems), 1) {
			n++
		}
	}
	return n
}

// spikes finds the frames far above the median, and in each the system that
// took the most beyond its own median: it is the one to blame.
func spikes(h host.History, all []time.Duration, median time.Duration, medians []time.Duration) []spike {
	var at []int
	for i, d := range all {
		if d > 2*median && d > median+500*time.Microsecond {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(all[b], all[a]) })
	found := []spike{}
	for _, i := range at[:min(10, len(at))] {
		blame, worst := "", time.Duration(math.MinInt64)
		for s, d := range h.Frames[i].Systems {
			if d >= 0 && d-medians[s] > worst {
				blame, worst = h.Systems[s], d-medians[s]
			}
		}
		found = append(found, spike{Frame: h.Frames[i].Frame, Ms: millis(all[i]), System: blame})
	}
	return found
}

func mean(ds []time.Duration) time.Duration {
	var sum time.Duration
	for _, d := range ds {
		sum += d
	}
	return sum / time.Duration(len(ds))
}

// percentile is the nearest-rank percentile of sorted values.
func percentile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[max(0, min(i, len(sorted)-1))]
}

// sparkline draws values in time order with at most width characters.
func sparkline(all []time.Duration, width int) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	top := slices.Max(all)
	if top == 0 {
		top = 1
	}
	n := min(width, len(all))
	var b strings.Builder
	for i := range n {
		share := slices.Max(all[i*len(all)/n : (i+1)*len(all)/n])
		b.WriteRune(levels[int(share)*(len(levels)-1)/int(top)])
	}
	return b.String()
}
