package audio

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
)

func mixer(voices int, samples ...int16) *Mixer {
	m := NewMixer(1000, voices)
	m.Define(Sound{Name: "s", Rate: 1000, Samples: samples})
	return m
}

func TestAVoiceIsItsSamplesTimesItsGain(t *testing.T) {
	m := mixer(4, 16384, -32768, 8192)
	m.Play("s", 0.5, 0, false)
	buf := make([]float32, 8)
	m.Mix(buf)
	if want := []float32{0.25, 0.25, -0.5, -0.5, 0.125, 0.125, 0, 0}; !slices.Equal(buf, want) {
		t.Errorf("mixed %v, want %v", buf, want)
	}
	if n := len(m.Voices()); n != 0 {
		t.Errorf("%d voices play after the end", n)
	}
}

func TestVoicesAddUpPanAndClip(t *testing.T) {
	m := mixer(4, 16384, 16384)
	m.Play("s", 1, -1, false)  // left alone: 0.5
	m.Play("s", 1, 0.5, false) // left half: 0.25, right 0.5
	buf := make([]float32, 2)
	m.Mix(buf)
	if buf[0] != 0.75 || buf[1] != 0.5 {
		t.Errorf("mixed %v, want 0.75 0.5", buf)
	}
	m.Play("s", 5, 0, false)
	m.Mix(buf)
	if buf[0] != 1 {
		t.Errorf("loud moment %v, want clipped to 1", buf[0])
	}
	m.Gain = 0.5
	m.StopAll()
	m.Play("s", 1, 0, false)
	m.Mix(buf)
	if buf[0] != 0.25 {
		t.Errorf("master gain: %v, want 0.25", buf[0])
	}
}

func TestRatesAreConverted(t *testing.T) {
	m := NewMixer(2000, 1) // twice the sound's rate: every second sample lies between
	m.Define(Sound{Name: "s", Rate: 1000, Samples: []int16{0, 16384}})
	m.Play("s", 1, 0, false)
	buf := make([]float32, 8)
	m.Mix(buf)
	if want := []float32{0, 0, 0.25, 0.25, 0.5, 0.5, 0.25, 0.25}; !slices.Equal(buf, want) {
		t.Errorf("mixed %v, want %v", buf, want)
	}
}

// Unheard time takes a voice to the same place as heard time.
func TestAdvanceIsMixUnheard(t *testing.T) {
	heard, unheard := mixer(4, 1, 2, 3, 4, 5, 6, 7), mixer(4, 1, 2, 3, 4, 5, 6, 7)
	for _, m := range []*Mixer{heard, unheard} {
		m.Play("s", 1, 0, true)
		m.Play("s", 1, 0, false)
	}
	for n := 1; n < 12; n++ {
		heard.Mix(make([]float32, 2*n))
		unheard.Advance(n)
		a, b := heard.Voices(), unheard.Voices()
		for i := range a { // each mixer has its own pointer to the sound
			a[i].Sound = nil
		}
		for i := range b {
			b[i].Sound = nil
		}
		if !slices.Equal(a, b) {
			t.Fatalf("after %d: heard %+v, unheard %+v", n, a, b)
		}
	}
}

func TestTheOldestVoiceGivesWayButNoLoop(t *testing.T) {
	m := mixer(2, make([]int16, 100)...)
	m.Play("s", 0.1, 0, true)
	m.Play("s", 0.2, 0, false)
	m.Play("s", 0.3, 0, false)
	v := m.Voices()
	if len(v) != 2 || v[0].Gain != 0.1 || v[1].Gain != 0.3 || m.Stolen != 1 {
		t.Errorf("voices %+v, stolen %d: want the loop and the newest", v, m.Stolen)
	}
	m.StopAll()
	m.Play("s", 1, 0, true)
	m.Play("s", 1, 0, true)
	if m.Play("s", 1, 0, false) {
		t.Error("a voice started though all voices loop")
	}
}

func TestWhatCannotPlayDoesNot(t *testing.T) {
	m := mixer(2, 1)
	m.Define(Sound{Name: "empty", Rate: 1000})
	for name, ok := range map[string]bool{
		"unknown": m.Play("nope", 1, 0, false), "empty": m.Play("empty", 1, 0, false),
		"silent": m.Play("s", 0, 0, false), "NaN": m.Play("s", math.NaN(), 0, false), "pan": m.Play("s", 1, math.NaN(), false),
	} {
		if ok {
			t.Errorf("%s plays", name)
		}
	}
}

func TestLevelsLetNoTimePass(t *testing.T) {
	m := mixer(2, 16384, 16384, 16384, 16384)
	m.Play("s", 1, 0, false)
	if peak, rms := m.Levels(4); peak != 0.5 || rms != 0.5 {
		t.Errorf("peak %v rms %v, want 0.5 0.5", peak, rms)
	}
	if v := m.Voices(); len(v) != 1 || v[0].Position() != 0 {
		t.Errorf("voices after Levels: %+v", v)
	}
}

func TestWAVRoundTrip(t *testing.T) {
	for _, name := range Recipes() {
		s := Synth(name)
		rate, got, err := DecodeWAV(EncodeWAV(Rate, s))
		if err != nil || rate != Rate || !slices.Equal(got, s) {
			t.Errorf("%s: rate %d, %d samples of %d, %v", name, rate, len(got), len(s), err)
		}
	}
}

func TestStereoBecomesItsMean(t *testing.T) {
	b := EncodeWAV(8000, []int16{100, 300, -50, -150})
	b[22] = 2 // two channels
	_, got, err := DecodeWAV(b)
	if err != nil || !slices.Equal(got, []int16{200, -100}) {
		t.Errorf("%v %v, want 200 -100", got, err)
	}
}

func TestReloadKeepsTheOldSoundWhenTheFileIsBroken(t *testing.T) {
	dir := t.TempDir()
	m := NewMixer(1000, 4)
	bank, err := LoadBank(m, fstest.MapFS{"beep.wav": {Data: EncodeWAV(1000, []int16{1, 2, 3})}}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer bank.Close()
	file := filepath.Join(dir, "beep.wav")
	os.WriteFile(file, EncodeWAV(1000, []int16{7, 8}), 0o666)
	if s, err := bank.Reload("beep"); err != nil || !slices.Equal(s.Samples, []int16{7, 8}) {
		t.Fatalf("reload: %+v %v", s, err)
	}
	good := EncodeWAV(1000, []int16{9})
	for name, b := range map[string][]byte{"empty": nil, "junk": []byte("PK\x03\x04 not a sound"), "truncated": good[:len(good)-1], "8 bit": func() []byte { c := slices.Clone(good); c[34] = 8; return c }()} {
		os.WriteFile(file, b, 0o666)
		if _, err := bank.Reload("beep.wav"); err == nil {
			t.Errorf("%s: reloaded", name)
		}
		if got := m.Sound("beep").Samples; !slices.Equal(got, []int16{7, 8}) {
			t.Errorf("%s: the old sound is gone: %v", name, got)
		}
	}
	if _, err := bank.Reload("none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestReloadStaysInsideTheFolder(t *testing.T) {
	top := t.TempDir()
	os.WriteFile(filepath.Join(top, "secret.wav"), EncodeWAV(1000, []int16{1}), 0o666)
	dir := filepath.Join(top, "assets")
	bank, err := LoadBank(NewMixer(1000, 1), fstest.MapFS{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer bank.Close()
	os.Symlink(filepath.Join(top, "secret.wav"), filepath.Join(dir, "link.wav"))
	makePipe(filepath.Join(dir, "pipe.wav"))
	os.Mkdir(filepath.Join(dir, "dir.wav"), 0o777)
	for _, name := range []string{"../secret", "../secret.wav", filepath.Join(top, "secret"), "link", "pipe", "dir", "", ".", "a\x00b"} {
		if s, err := bank.Reload(name); err == nil {
			t.Errorf("Reload(%q) = %+v", name, s)
		}
	}
}

func FuzzDecodeWAV(f *testing.F) {
	f.Add(EncodeWAV(1000, []int16{1, -2, 3}))
	f.Add([]byte("RIFF\x00\x00\x00\x00WAVEfmt \xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		rate, samples, err := DecodeWAV(b)
		if err == nil && (rate < minRate || rate > maxRate || len(samples) == 0) {
			t.Errorf("accepted rate %d with %d samples", rate, len(samples))
		}
	})
}

func Example() {
	m := NewMixer(1000, 8)
	m.Define(Sound{Name: "click", Rate: 1000, Samples: []int16{16384, -16384}})
	m.Play("click", 0.5, 0, false)
	buf := make([]float32, 6)
	m.Mix(buf)
	fmt.Println(buf)
	// Output: [0.25 0.25 -0.25 -0.25 0 0]
}
