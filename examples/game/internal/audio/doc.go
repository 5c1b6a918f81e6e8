// Package audio is a software mixer: mono sounds of 16-bit samples, voices with
// gain and pan, a stereo result. It has no device: the host renders as much as
// it wants to hear, or lets time pass unheard.
//
//	m := audio.NewMixer(22050, 16)
//	m.Define(audio.Sound{Name: "shot", Rate: 22050, Samples: samples})
//	m.Play("shot", 0.8, -0.5, false)
//	m.Mix(buffer) // interleaved left, right
//
// [Bank] reads sounds from embedded assets and, when they are changed, again
// from an asset folder. A Mixer is for one goroutine at a time.
package audio
