// Package render draws the arena into an image, in software: a floor of tiles,
// walls with height, sprites, lights, health bars and text.
//
//	img := render.New().Draw(&render.Scene{Zoom: 1, ArenaW: 1280, ArenaH: 720})
//
// It knows no entities: a [Scene] says what there is, in world coordinates. The
// same scene gives the same pixels. A Renderer is for one goroutine at a time;
// the image it returns is the caller's.
package render
