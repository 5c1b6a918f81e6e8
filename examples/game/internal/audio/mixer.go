package audio

import (
	"math"
	"slices"
	"time"
)

// Sound is one mono recording.
type Sound struct {
	Name    string
	Source  string // file under the asset root, or "built in"
	Rate    int    // samples per second
	Samples []int16
}

// Duration is how long the sound plays.
func (s *Sound) Duration() time.Duration {
	if s.Rate <= 0 {
		return 0
	}
	return time.Duration(len(s.Samples)) * time.Second / time.Duration(s.Rate)
}

// Peak is the greatest sample, 0 to 1.
func (s *Sound) Peak() float64 {
	peak := 0.0
	for _, v := range s.Samples {
		peak = max(peak, math.Abs(float64(v))/32768)
	}
	return peak
}

// Voice is one sound as it plays. A voice keeps the recording it began with,
// also when the sound is defined anew.
type Voice struct {
	Sound     *Sound
	Gain, Pan float64
	Loop      bool
	at        float64 // position in the sound's samples
}

// Position is how much of the sound has played.
func (v *Voice) Position() time.Duration {
	return time.Duration(v.at / float64(v.Sound.Rate) * float64(time.Second))
}

// Mixer mixes voices. Make one with [NewMixer].
type Mixer struct {
	Rate            int     // samples per second of the result
	Gain            float64 // of everything; 1 leaves samples as they are
	Started, Stolen uint64

	max    int
	sounds []*Sound // in order of first definition
	voices []*Voice // oldest first
}

// NewMixer makes a mixer with so many samples per second and voices.
func NewMixer(rate, voices int) *Mixer { return &Mixer{Rate: rate, Gain: 1, max: voices} }

// Define adds a sound or replaces the one of that name.
func (m *Mixer) Define(s Sound) {
	for i, old := range m.sounds {
		if old.Name == s.Name {
			m.sounds[i] = &s
			return
		}
	}
	m.sounds = append(m.sounds, &s)
}

// Sounds lists the sounds in the order they were first defined.
func (m *Mixer) Sounds() []*Sound { return slices.Clone(m.sounds) }

// Sound finds a sound by name; nil if there is none.
func (m *Mixer) Sound(name string) *Sound {
	for _, s := range m.sounds {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Voices lists what plays now, oldest first. The voices are copies.
func (m *Mixer) Voices() []Voice {
	out := make([]Voice, len(m.voices))
	for i, v := range m.voices {
		out[i] = *v
	}
	return out
}

// MaxVoices is how many voices can play at once.
func (m *Mixer) MaxVoices() int { return m.max }

// Play starts a sound with a gain and a pan from -1 (left) to 1 (right). When
// every voice is busy the oldest one that does not loop is cut off; if all loop
// nothing starts. It reports whether the sound plays; an unknown or empty one
// does not.
func (m *Mixer) Play(name string, gain, pan float64, loop bool) bool {
	s := m.Sound(name)
	if s == nil || len(s.Samples) == 0 || s.Rate <= 0 || !(gain > 0) || math.IsInf(gain, 0) || math.IsNaN(pan) {
		return false
	}
	if len(m.voices) >= m.max {
		oldest := slices.IndexFunc(m.voices, func(v *Voice) bool { return !v.Loop })
		if oldest < 0 {
			return false
		}
		m.voices = slices.Delete(m.voices, oldest, oldest+1)
		m.Stolen++
	}
	m.voices = append(m.voices, &Voice{Sound: s, Gain: gain, Pan: min(max(pan, -1), 1), Loop: loop})
	m.Started++
	return true
}

// StopAll ends every voice.
func (m *Mixer) StopAll() { m.voices = m.voices[:0] }

// Mix renders len(dst)/2 stereo samples into dst, left and right in turn, 1
// being full scale, and lets that much time pass. Loud moments are clipped.
func (m *Mixer) Mix(dst []float32) { m.run(len(dst)/2, dst) }

// Advance lets n samples pass unheard.
func (m *Mixer) Advance(n int) { m.run(n, nil) }

// Levels gives the peak and the root mean square of the next n samples, without
// letting time pass.
func (m *Mixer) Levels(n int) (peak, rms float64) {
	if n <= 0 {
		return 0, 0
	}
	saved := m.voices
	m.voices = make([]*Voice, len(saved))
	for i, v := range saved {
		c := *v
		m.voices[i] = &c
	}
	buf := make([]float32, 2*n)
	m.Mix(buf)
	m.voices = saved
	sum := 0.0
	for _, v := range buf {
		peak = max(peak, math.Abs(float64(v)))
		sum += float64(v) * float64(v)
	}
	return peak, math.Sqrt(sum / float64(len(buf)))
}

func (m *Mixer) run(n int, dst []float32) {
	clear(dst)
	m.voices = slices.DeleteFunc(m.voices, func(v *Voice) bool { return !m.play(v, n, dst) })
	for i, x := range dst {
		dst[i] = min(max(x, -1), 1)
	}
}

// play advances one voice and adds it to dst; false when the voice has ended.
func (m *Mixer) play(v *Voice, n int, dst []float32) bool {
	step := float64(v.Sound.Rate) / float64(m.Rate)
	length := float64(len(v.Sound.Samples))
	if dst == nil {
		v.at += step * float64(n)
		if v.Loop {
			v.at = math.Mod(v.at, length)
		}
		return v.at < length
	}
	// A constant sum of amplitudes: the centre gives each side the whole gain.
	left, right := v.Gain*m.Gain*min(1, 1-v.Pan), v.Gain*m.Gain*min(1, 1+v.Pan)
	for i := range n {
		if v.at >= length {
			if !v.Loop {
				return false
			}
			v.at = math.Mod(v.at, length)
		}
		x := v.sample()
		dst[2*i] += float32(x * left)
		dst[2*i+1] += float32(x * right)
		v.at += step
	}
	if v.Loop {
		v.at = math.Mod(v.at, length)
	}
	return v.at < length
}

// sample reads between two samples in proportion.
func (v *Voice) sample() float64 {
	i := int(v.at)
	a := float64(v.Sound.Samples[i]) / 32768
	frac := v.at - float64(i)
	if frac == 0 {
		return a
	}
	b := 0.0
	switch {
	case i+1 < len(v.Sound.Samples):
		b = float64(v.Sound.Samples[i+1]) / 32768
	case v.Loop:
		b = float64(v.Sound.Samples[0]) / 32768
	}
	return a + (b-a)*frac
}
