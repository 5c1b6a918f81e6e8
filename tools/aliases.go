package tools

import "github.com/loupe-ecs/loupe/tools/host"

// What a host implements is package host's; these are its names of before.
type (
	App           = host.App
	Audio         = host.Audio
	AudioInfo     = host.AudioInfo
	Camera        = host.Camera
	CameraInfo    = host.CameraInfo
	CameraMove    = host.CameraMove
	Clock         = host.Clock
	ClockChange   = host.ClockChange
	ClockInfo     = host.ClockInfo
	EventKind     = host.EventKind
	EventSink     = host.EventSink
	FrameTimes    = host.FrameTimes
	Held          = host.Held
	History       = host.History
	Holder        = host.Holder
	Inputs        = host.Inputs
	Layer         = host.Layer
	Layers        = host.Layers
	MaskBit       = host.MaskBit
	Material      = host.Material
	Materials     = host.Materials
	Physics       = host.Physics
	PhysicsInfo   = host.PhysicsInfo
	Picture       = host.Picture
	Ray           = host.Ray
	RayHit        = host.RayHit
	Render        = host.Render
	RenderInfo    = host.RenderInfo
	Replay        = host.Replay
	Replayer      = host.Replayer
	Screen        = host.Screen
	Shot          = host.Shot
	SnapshotState = host.SnapshotState
	Snapshots     = host.Snapshots
	Sound         = host.Sound
	StateChange   = host.StateChange
	StateHistory  = host.StateHistory
	StateLog      = host.StateLog
	States        = host.States
	StepClock     = host.StepClock
	SystemHooks   = host.SystemHooks
	SystemInfo    = host.SystemInfo
	SystemTimes   = host.SystemTimes
	SystemVisits  = host.SystemVisits
	Systems       = host.Systems
	Viewport      = host.Viewport
	Voice         = host.Voice
)

var ErrNoDisplay = host.ErrNoDisplay

var HeldOf = host.HeldOf
