package audio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Bank reads a mixer's sounds: first those that are built into the program,
// later, on demand, the files of an asset folder that replace them.
type Bank struct {
	mixer *Mixer
	root  *os.Root // nil: no asset folder
}

// LoadBank defines every .wav file of builtin (its name without the ending) in
// the mixer. Where dir is not empty it is made the asset folder: files missing
// there are written out first, so that there is something to edit.
func LoadBank(m *Mixer, builtin fs.FS, dir string) (*Bank, error) {
	b := &Bank{mixer: m}
	if dir != "" {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		b.root = root
	}
	files, err := fs.Glob(builtin, "*.wav")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		data, err := fs.ReadFile(builtin, file)
		if err != nil {
			return nil, err
		}
		rate, samples, err := DecodeWAV(data)
		if err != nil {
			return nil, fmt.Errorf("built-in sound %s: %w", file, err)
		}
		name := strings.TrimSuffix(path.Base(file), ".wav")
		m.Define(Sound{Name: name, Source: file, Rate: rate, Samples: samples})
		if b.root != nil {
			if err := b.writeOut(path.Base(file), data); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

func (b *Bank) writeOut(file string, data []byte) error {
	f, err := b.root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Files lists the .wav files of the asset folder.
func (b *Bank) Files() []string {
	if b.root == nil {
		return nil
	}
	files, _ := fs.Glob(b.root.FS(), "*.wav")
	slices.Sort(files)
	return files
}

// ErrNoFolder is what Reload answers without an asset folder.
var ErrNoFolder = errors.New("there is no asset folder to read from")

// Reload reads a sound's file again, by the sound's name or the file's, and
// defines the sound anew; the error of a missing file is fs.ErrNotExist. When
// the file cannot be read or is broken the old sound stays. No name leads out of
// the asset folder.
func (b *Bank) Reload(name string) (*Sound, error) {
	if b.root == nil {
		return nil, ErrNoFolder
	}
	file := strings.TrimSuffix(name, ".wav") + ".wav"
	if !fs.ValidPath(file) {
		return nil, fmt.Errorf("%q is no name of a file in the asset folder: %w", name, fs.ErrInvalid)
	}
	// Opening a pipe would block the frame.
	if st, err := b.root.Stat(file); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file: %w", file, fs.ErrInvalid)
	}
	f, err := b.root.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWAV+1))
	if err != nil {
		return nil, err
	}
	rate, samples, err := DecodeWAV(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	b.mixer.Define(Sound{Name: strings.TrimSuffix(path.Base(file), ".wav"), Source: file, Rate: rate, Samples: samples})
	return b.mixer.Sound(strings.TrimSuffix(path.Base(file), ".wav")), nil
}

// Close gives the asset folder back.
func (b *Bank) Close() error {
	if b.root == nil {
		return nil
	}
	return b.root.Close()
}
