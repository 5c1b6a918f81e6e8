package schedule

import "time"

// Info describes one system at the time of the question. Times are in
// milliseconds and count the runs within one frame as one.
type Info struct {
	Name     string   `json:"name" jsonschema:"name of the system"`
	Phase    string   `json:"phase" jsonschema:"phase that the system runs in"`
	Position int      `json:"position" jsonschema:"place in the order of all systems, from 0"`
	Enabled  bool     `json:"enabled" jsonschema:"false: the system is skipped"`
	LastMs   float64  `json:"lastMs" jsonschema:"milliseconds of the last run"`
	AvgMs    float64  `json:"avgMs" jsonschema:"mean milliseconds of all runs"`
	MaxMs    float64  `json:"maxMs" jsonschema:"greatest milliseconds of all runs"`
	Runs     uint64   `json:"runs" jsonschema:"runs since the start"`
	Reads    []string `json:"reads,omitempty" jsonschema:"components and resources that the system reads"`
	Writes   []string `json:"writes,omitempty" jsonschema:"components and resources that the system writes"`
	Entities *int     `json:"entities,omitempty" jsonschema:"entities that the last run visited"`
	Doc      string   `json:"doc,omitempty" jsonschema:"what the system does"`
	Func     string   `json:"func,omitempty" jsonschema:"the Go function that it runs"`
	Source   string   `json:"source,omitempty" jsonschema:"where the function is written: file:line"`
}

// History is a copy of the last frames.
type History struct {
	// Systems names the columns of FrameTimes.Systems, in running order.
	Systems []string
	// Phases gives the phase of each system.
	Phases []string
	// Frames are oldest first.
	Frames []FrameTimes
}

// FrameTimes is one frame.
type FrameTimes struct {
	Frame uint64
	// Busy is the time spent in systems.
	Busy time.Duration
	// Systems holds each system's time in this frame, -1 if it did not run.
	Systems []time.Duration
}
