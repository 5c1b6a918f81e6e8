// Package snapshot saves a whole ECS world to a file, puts it back in place,
// and compares worlds. It is a debug format: exact, versioned and safe against
// bad files, but no promise for save games.
//
//	var buf bytes.Buffer
//	_, err := snapshot.Save(&buf, world, nil)          // on the frame goroutine
//	...
//	report, err := snapshot.Load(&buf, world, nil)     // the same world object
//
// # What is saved
//
// The entity table with generations and free list, so that the next spawned
// entity is the one it would have been; archetypes and rows in order; relation
// targets, dangling ones too; every component and resource bit for bit: NaN
// payloads, unexported fields, nil as against empty slices and maps, invalid
// UTF-8, dynamic types of interface values, pointers with sharing and cycles
// inside a column or resource. What exists in the running process only
// (functions, channels, locks, files, contexts) is not saved: a load keeps the
// live one where the entity or resource still has it, and Report.Skipped names
// each such field. Two components that point at one value get a copy each
// unless they are of the same archetype and type. A slice keeps its length and
// not its capacity; slices that overlap and pointers into the middle of another
// value become separate.
//
// # On and off the frame
//
// [Save] and [Load] do everything where they are called. A debug server splits
// them so that the game pays for copying alone:
//
//	on the frame    Capture.Take     copy out
//	off the frame   Capture.Encode   encode, compress, write
//	off the frame   Decode           read, check, convert: all of it
//	on the frame    Staged.Restore   keep a copy, put in place
//
// [Decode] refuses every file that is not sound, before any world is touched;
// [Staged.Restore] can then not fail for what the file holds, and puts the
// world back if the engine or a host [State] fails. [ReadHeader] reads the first block
// alone.
//
// # Types that have changed
//
// Component and resource types are matched by full name, fields by name.
// Numbers are converted where no value is lost (a value that does not fit
// refuses the file and is named), enumerations by label. New fields get the
// type's default (ecs.Default), fields that are gone are dropped, and
// [Report] lists both, as it does a type that is only described otherwise now
// (its schemaID differs: other units, say), whose values are taken as they are. A type that is unknown altogether refuses the file:
// a world without one of its components is another world. Options.AllowUnknown
// leaves it out instead, Options.Rename follows a type that has moved.
//
// # Format
//
// Magic and version, then blocks with checksums (package blocks): a JSON
// [Header], and a body that describes its own types (wire.go), so that it can
// be read by a program whose types differ. Pointer-free columns are byte
// planes, everything else is a compact stream (encode.go). Equal worlds give
// equal bytes. No length in a file is trusted: memory is bounded by
// Options.MaxBytes and by what the bytes present can hold.
package snapshot
