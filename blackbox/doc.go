// Package blackbox writes and reads .loupe files: a recording with everything
// that is needed to look at it where the game is not.
//
//	w, err := blackbox.NewWriter(f, blackbox.Header{App: "arena", Why: "record_save"})
//	err = w.Record(recorder)       // samples that were not written yet
//	err = w.JSON(blackbox.PartFacts, facts)
//	err = w.Close()
//
//	file, err := blackbox.Open(path, blackbox.Limits{})
//	ref, err := file.Recorder.Line().Find(-60)
//	then := file.Recorder.Line().World(ref) // an ecs.World, to be read
//
// # What is in a file
//
// The samples of a recorder (package timeline) on all branches, the types that
// they are made of, and documents: facts and marks, log lines, a crash with its
// stacks, frame times, profiles, a picture. Fields whose tag says
// `debug:"private"` are not: their place holds zero.
//
// # How it is read
//
// Types are rebuilt (standin.go): structs with the fields, tags and offsets that
// they had, named numbers from a pool of named types, entities and the plain types
// of the standard library as themselves. What cannot be rebuilt (functions and
// other handles, a type that contains itself, interfaces with methods) is shown
// as an opaque value of its name, and a type that says itself how it looks
// (MarshalText, MarshalJSON) by its parts. Computed values and labels are results
// of the game's code: they were asked for when the file was written.
//
// A file is read block by block in bounded memory, and no number in it is
// trusted. What is cut off or spoiled ends the reading: the samples before are
// there, and [File.Damage] says where the rest went.
//
// The memory of values without pointers is written as it is: on machines of the
// other byte order, and for values of another size of int, stand-ins are made for
// what the file says, never for what this machine would use.
package blackbox
