package game

import (
	"encoding/binary"
	"hash/fnv"
	"math"
)

// Hash sums up everything that the next tick depends on, for comparing two runs.
// It is the same for the same build on the same kind of processor: compilers for
// some fuse multiplications with additions, which rounds differently.
func (g *Game) Hash() uint64 {
	h := fnv.New64a()
	var buf []byte
	num := func(vs ...float64) {
		for _, v := range vs {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		}
	}
	whole := func(vs ...uint64) {
		for _, v := range vs {
			buf = binary.LittleEndian.AppendUint64(buf, v)
		}
	}
	flush := func() {
		h.Write(buf)
		buf = buf[:0]
	}
	q := g.all.Query(&g.World)
	for q.Next() {
		e := q.Entity()
		whole(uint64(e.ID()), uint64(e.Generation()))
		if g.position.Has(e) {
			p := g.position.Get(e)
			num(p.X, p.Y)
		}
		if v := g.velocityOf(e); v != nil {
			num(v.X, v.Y)
		}
		if g.health.Has(e) {
			hp := g.health.Get(e)
			whole(uint64(hp.HP), uint64(hp.Max))
		}
		if g.enemyKind.Has(e) {
			en := g.enemyKind.Get(e)
			whole(uint64(en.Kind), uint64(en.Target.ID()))
			num(en.Aggro)
		}
		if g.brain.Has(e) {
			b := g.brain.Get(e)
			whole(uint64(b.Mood))
			num(b.Timer, b.HeadingX, b.HeadingY, b.Cooldown, b.Flash)
		}
		if g.pilot.Has(e) {
			p := g.pilot.Get(e)
			num(p.AimX, p.AimY, p.GoX, p.GoY, p.Cooldown, p.Shield)
		}
		if pt := g.particleOf(e); pt != nil {
			num(pt.TTL, pt.Life)
		}
		flush()
	}
	s := g.score
	whole(g.tick.N, g.rng.State, uint64(s.Points), uint64(s.Kills), uint64(s.Shots), uint64(s.Hits), uint64(s.Coins), uint64(s.Deaths), uint64(s.Wave))
	num(s.Elapsed, g.camera.X, g.camera.Y)
	flush()
	return h.Sum64()
}
