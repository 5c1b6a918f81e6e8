package game

import (
	"io/fs"
	"math"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/loupe-ecs/loupe/ecs/schedule"
	"github.com/loupe-ecs/loupe/examples/game/internal/audio"
	"github.com/loupe-ecs/loupe/examples/game/internal/physics"
	"github.com/loupe-ecs/loupe/examples/game/internal/render"
)

// Options configures a game. The zero value is a playable game without sound.
type Options struct {
	Seed    uint64
	Enemies int   // in the first wave. Default 0: none, ever
	Sounds  fs.FS // .wav files. Default: silence
	// AssetDir is where sounds can be edited and reloaded. Default: nowhere.
	AssetDir string

	// EndTick is called after every tick that is played. Default: nothing.
	EndTick func()

	// CrashAt is the frame from which on the system combat panics, once, while
	// a query is open. Default 0: never.
	CrashAt uint64
	// HangAt is the frame from which on enemy_ai spins for HangFor, once.
	// Default 0: never.
	HangAt  uint64
	HangFor time.Duration
	// Stop, when closed, ends a hang early. Default: hangs go on to their end.
	Stop <-chan struct{}
}

// Game is the game: a world, its systems and the state that no tick depends on.
type Game struct {
	World    ecs.World
	Schedule *schedule.Schedule
	States   States
	Clock    Clock

	tick   *Tick
	rules  *Rules
	score  *Score
	level  *Level
	input  *Input
	camera *Camera
	rng    *RNG

	opts    Options
	frame   uint64
	quit    bool
	crashed bool
	hung    bool

	mixer *audio.Mixer
	bank  *audio.Bank

	filters
	makers

	space    *physics.Space
	refs     []bodyRef // what is in space, by Body.Ref
	stepTime time.Duration
	contacts int
	renderer *render.Renderer
	pictures uint64
	drawTime time.Duration

	wantLevel *LoadLevelEvent
	given     []given // events since the last tick, for the recording

	replaying bool // ticks are run to be looked at: nobody hears them

	// Buffers that live within one tick.
	player  playerView
	touched []touch
	hits    []hit
	grabbed []ecs.Entity
	dead    []corpse
	expired []ecs.Entity
	orphans []ecs.Entity
	shots   []shot // of enemies, aimed
	pending []shot // to become entities
	counts  counts
}

type counts struct{ ai, moved, bolts, combat int }

// The Rules of a new game, but for the size of the arena and of the waves.
var defaultRules = Rules{WaveSeconds: 30, PlayerSpeed: 150, PlayerReload: 0.14, PlayerDamage: 10,
	EnemySpeed: 1, EnemyDamage: 1, Autopilot: true, ManualSeconds: 3}

// New makes a game in the state playing, at tick 0.
func New(opts Options) (*Game, error) {
	g := &Game{World: ecs.NewWorld(1024), opts: opts, renderer: render.New(), mixer: audio.NewMixer(audio.Rate, 24)}
	g.States.stack = []string{Menu, Playing}
	g.States.tick = func() uint64 { return g.tick.N }
	g.Clock = newClock(g)
	if opts.Sounds != nil {
		bank, err := audio.LoadBank(g.mixer, opts.Sounds, opts.AssetDir)
		if err != nil {
			return nil, err
		}
		g.bank = bank
	}
	registerComponents(&g.World)
	// The arena grows with the waves, so that a crowd has room.
	side := math.Sqrt(max(1, float64(opts.Enemies)*1100/(1280*720)))
	rules := defaultRules
	rules.ArenaW, rules.ArenaH, rules.Enemies = math.Ceil(1280*side/32)*32, math.Ceil(720*side/32)*32, opts.Enemies
	g.tick, g.rules, g.score, g.level = &Tick{}, &rules, &Score{}, &Level{Seed: mix(opts.Seed ^ 0x1e7e1)}
	g.input, g.rng = &Input{}, &RNG{State: mix(opts.Seed + 1)}
	g.camera = &Camera{X: rules.ArenaW / 2, Y: rules.ArenaH / 2, Zoom: 1, Follow: true}
	ecs.AddResource(&g.World, g.tick)
	ecs.AddResource(&g.World, g.rules)
	ecs.AddResource(&g.World, g.score)
	ecs.AddResource(&g.World, g.level)
	ecs.AddResource(&g.World, g.input)
	ecs.AddResource(&g.World, g.camera)
	ecs.AddResource(&g.World, g.rng)
	g.filters = newFilters()
	g.makers = newMakers(&g.World)
	g.space = physics.NewSpace(0, 0, rules.ArenaW, rules.ArenaH, 32)
	g.buildSchedule()
	for l := g.LoadLevel(1); l.Step(1 << 20); {
	}
	g.spawnPlayer()
	g.spawnChests()
	g.findPlayer()
	g.waveSystem()
	return g, nil
}

func registerComponents(w *ecs.World) {
	ecs.ComponentID[Position](w)
	ecs.ComponentID[Velocity](w)
	ecs.ComponentID[Health](w)
	ecs.ComponentID[Player](w)
	ecs.ComponentID[Enemy](w)
	ecs.ComponentID[Brain](w)
	ecs.ComponentID[Pilot](w)
	ecs.ComponentID[Body](w)
	ecs.ComponentID[Wall](w)
	ecs.ComponentID[Projectile](w)
	ecs.ComponentID[Pickup](w)
	ecs.ComponentID[Particle](w)
	ecs.ComponentID[Sprite](w)
	ecs.ComponentID[Inventory](w)
	ecs.ComponentID[ChildOf](w)
	ecs.ComponentID[Offset](w)
}

type filters struct {
	players  generic.Filter4[Position, Velocity, Health, Pilot]
	movers   generic.Filter3[Position, Velocity, Body]
	brains   generic.Filter5[Enemy, Position, Velocity, Brain, Body]
	foes     generic.Filter2[Enemy, Position]
	bodies   generic.Filter2[Body, Position]
	walls    generic.Filter2[Wall, Position]
	bolts    generic.Filter3[Projectile, Position, Velocity]
	boltAge  generic.Filter1[Projectile]
	pickups  generic.Filter2[Pickup, Position]
	ages     generic.Filter1[Pickup]
	sparks   generic.Filter1[Particle]
	children generic.Filter2[Position, Offset]
	kin      generic.Filter1[ChildOf]
	sprites  generic.Filter2[Sprite, Position]
	looks    generic.Filter1[Sprite]
	all      generic.Filter0
	hurt     generic.Filter3[Enemy, Health, Position]
}

func newFilters() filters {
	player := generic.T[Player]()
	child := generic.T[ChildOf]()
	return filters{
		players:  *generic.NewFilter4[Position, Velocity, Health, Pilot]().With(player),
		movers:   *generic.NewFilter3[Position, Velocity, Body]().Optional(generic.T[Body]()),
		brains:   *generic.NewFilter5[Enemy, Position, Velocity, Brain, Body]().Optional(generic.T2[Brain, Body]()...),
		foes:     *generic.NewFilter2[Enemy, Position](),
		bodies:   *generic.NewFilter2[Body, Position](),
		walls:    *generic.NewFilter2[Wall, Position](),
		bolts:    *generic.NewFilter3[Projectile, Position, Velocity](),
		boltAge:  *generic.NewFilter1[Projectile](),
		pickups:  *generic.NewFilter2[Pickup, Position](),
		ages:     *generic.NewFilter1[Pickup](),
		sparks:   *generic.NewFilter1[Particle](),
		children: *generic.NewFilter2[Position, Offset]().With(child).WithRelation(child),
		kin:      *generic.NewFilter1[ChildOf]().WithRelation(child),
		sprites:  *generic.NewFilter2[Sprite, Position](),
		looks:    *generic.NewFilter1[Sprite](),
		all:      *generic.NewFilter0(),
		hurt:     *generic.NewFilter3[Enemy, Health, Position]().Optional(generic.T[Position]()),
	}
}

// The phases of a tick, and the one that every frame ends with. The camera is
// part of the tick: where the pointer points to depends on it.
var tickPhases = []string{"input", "ai", "movement", "physics", "combat", "cleanup", "view"}

func (g *Game) buildSchedule() {
	s := schedule.New(append(append([]string{}, tickPhases...), "render")...)
	s.Add("input", "clock", g.clockSystem, schedule.Writes("Tick", "Score"),
		schedule.Doc("Counts the tick and looks up the player."))
	s.Add("input", "controls", g.controlsSystem, schedule.Reads("Input", "Camera"), schedule.Writes("Pilot", "Velocity"),
		schedule.Doc("Steers the player by keys and pointer, or by the autopilot."))
	s.Add("ai", "enemy_ai", g.enemySystem, schedule.Reads("Position", "Wall", "Body"), schedule.Writes("Enemy", "Brain", "Velocity"),
		schedule.Entities(func() int { return g.counts.ai }), schedule.Doc("Decides where each enemy goes and whether it shoots."))
	s.Add("movement", "movement", g.movementSystem, schedule.Reads("Velocity", "Body"), schedule.Writes("Position"),
		schedule.Entities(func() int { return g.counts.moved }), schedule.Doc("Adds Velocity and the push of contacts to Position. Nothing else moves what has a Velocity."))
	s.Add("movement", "attach", g.attachSystem, schedule.Reads("ChildOf", "Offset"), schedule.Writes("Position"),
		schedule.Doc("Puts children where their parents are."))
	s.Add("physics", "contacts", g.contactsSystem, schedule.Reads("Position", "Wall"), schedule.Writes("Body"),
		schedule.Entities(func() int { return g.space.Len() }), schedule.Doc("Finds what touches and how far it must give way."))
	s.Add("physics", "projectiles", g.projectileSystem, schedule.Reads("Position", "Velocity"), schedule.Writes("Projectile"),
		schedule.Entities(func() int { return g.counts.bolts }), schedule.Doc("Finds what projectiles hit."))
	s.Add("combat", "combat", g.combatSystem, schedule.Reads("Projectile", "Rules"), schedule.Writes("Health", "Brain", "Pilot", "Score"),
		schedule.Entities(func() int { return g.counts.combat }), schedule.Doc("Turns hits and touches into damage, and fires what was aimed."))
	s.Add("cleanup", "pickups", g.pickupSystem, schedule.Writes("Pickup", "Health", "Score"), schedule.Doc("Gives the player what it touches."))
	s.Add("cleanup", "cleanup", g.cleanupSystem, schedule.Writes("Enemy", "Projectile", "Particle", "Pickup"),
		schedule.Doc("Removes what is dead, spent or collected."))
	s.Add("cleanup", "waves", g.waveSystem, schedule.Reads("Rules"), schedule.Writes("Enemy", "Score", "Health"), schedule.Doc("Sends the next wave."))
	s.Add("view", "camera", g.cameraSystem, schedule.Reads("Position"), schedule.Writes("Camera"), schedule.Doc("Follows the player."))
	s.Add("render", "audio", g.audioSystem, schedule.Doc("Lets the mixer's time pass."))
	g.Schedule = s
}

// Update runs one frame: the ticks that the clock makes of the time that has
// passed, if the state is playing, and what every frame ends with. The frame's
// number is what CrashAt and HangAt count in.
func (g *Game) Update(frame uint64, passed time.Duration) {
	g.frame = frame
	g.Schedule.Frame(frame)
	_ = g.Clock.Run(passed, g.advance)
	g.Schedule.Run("render")
}

// advance is one tick.
func (g *Game) advance() error {
	g.Schedule.Run(tickPhases...)
	if g.opts.EndTick != nil {
		g.opts.EndTick()
	}
	return nil
}

// Ticks is how many ticks have passed.
func (g *Game) Ticks() uint64 { return g.tick.N }

// Quit reports whether somebody asked the game to end.
func (g *Game) Quit() bool { return g.quit }

// Mixer is the game's mixer.
func (g *Game) Mixer() *audio.Mixer { return g.mixer }

// Close gives the asset folder back.
func (g *Game) Close() error {
	if g.bank == nil {
		return nil
	}
	return g.bank.Close()
}
