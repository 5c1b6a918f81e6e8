package audio

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Limits of a WAV file that a game of this size has use for.
const (
	maxWAV  = 8 << 20
	minRate = 1000
	maxRate = 192000
)

// DecodeWAV reads a RIFF WAVE file with 16-bit PCM samples in one or two
// channels; two become one, their mean. The error says what is wrong with it.
func DecodeWAV(b []byte) (rate int, samples []int16, err error) {
	if len(b) > maxWAV {
		return 0, nil, fmt.Errorf("the file has %d bytes, at most %d are read", len(b), maxWAV)
	}
	if len(b) < 12 || string(b[:4]) != "RIFF" || string(b[8:12]) != "WAVE" {
		return 0, nil, errors.New("not a RIFF WAVE file")
	}
	var channels int
	for rest := b[12:]; len(rest) >= 8; {
		id, size := string(rest[:4]), int64(binary.LittleEndian.Uint32(rest[4:]))
		body := rest[8:]
		if size > int64(len(body)) {
			return 0, nil, fmt.Errorf("chunk %q says %d bytes, the file has %d left", id, size, len(body))
		}
		switch chunk := body[:size]; id {
		case "fmt ":
			if rate, channels, err = format(chunk); err != nil {
				return 0, nil, err
			}
		case "data":
			if channels == 0 {
				return 0, nil, errors.New("the data comes before its format")
			}
			samples, err = pcm16(chunk, channels)
			return rate, samples, err
		}
		rest = body[min(size+size%2, int64(len(body))):] // chunks are padded to even length
	}
	return 0, nil, errors.New("the file has no data chunk")
}

func format(b []byte) (rate, channels int, err error) {
	if len(b) < 16 {
		return 0, 0, fmt.Errorf("the format has %d bytes, 16 are needed", len(b))
	}
	kind, bits := binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[14:])
	channels, rate = int(binary.LittleEndian.Uint16(b[2:])), int(binary.LittleEndian.Uint32(b[4:]))
	switch {
	case kind != 1 || bits != 16:
		return 0, 0, fmt.Errorf("format %d with %d bits: only 16-bit PCM (format 1) is read", kind, bits)
	case channels != 1 && channels != 2:
		return 0, 0, fmt.Errorf("%d channels: only one or two are read", channels)
	case rate < minRate || rate > maxRate:
		return 0, 0, fmt.Errorf("%d samples per second: only %d to %d are read", rate, minRate, maxRate)
	}
	return rate, channels, nil
}

func pcm16(b []byte, channels int) ([]int16, error) {
	frame := 2 * channels
	if len(b) == 0 || len(b)%frame != 0 {
		return nil, fmt.Errorf("%d bytes of data are no whole samples of %d bytes", len(b), frame)
	}
	out := make([]int16, len(b)/frame)
	for i := range out {
		sum := 0
		for c := range channels {
			sum += int(int16(binary.LittleEndian.Uint16(b[i*frame+2*c:])))
		}
		out[i] = int16(sum / channels)
	}
	return out, nil
}

// EncodeWAV writes mono 16-bit PCM.
func EncodeWAV(rate int, samples []int16) []byte {
	le := binary.LittleEndian
	b := append([]byte("RIFF"), le.AppendUint32(nil, uint32(36+2*len(samples)))...)
	b = append(b, "WAVEfmt "...)
	b = le.AppendUint32(b, 16)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint32(b, uint32(rate))
	b = le.AppendUint32(b, uint32(2*rate))
	b = le.AppendUint16(b, 2)
	b = le.AppendUint16(b, 16)
	b = append(b, "data"...)
	b = le.AppendUint32(b, uint32(2*len(samples)))
	for _, v := range samples {
		b = le.AppendUint16(b, uint16(v))
	}
	return b
}
