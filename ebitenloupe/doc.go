// Package ebitenloupe puts Loupe's debug server into a game on Ebitengine. It is
// a module of its own, so that only games on Ebitengine download it.
//
//	func main() {
//		game := newGame()
//		debug := ebitenloupe.Wrap(game, structworld.New(...), &ebitenloupe.Options{App: &host.App{Name: "arena"}})
//		defer debug.Close()
//		if err := ebiten.RunGame(debug); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// # What it does with the game
//
// Update polls, and runs the game's Update under the server's guard: a panic
// becomes a state, and the window stays. While a client waits for ticks (clock_set
// with step, run_until) several run within one of Ebitengine's own updates. While
// the game is paused its Update is not called, Draw goes on. Every error of Update
// is returned, [ebiten.Termination] included.
//
// Draw draws the game and then, where a client asked for a picture, reads the
// screen's pixels; only then comes the overlay with what the game is: crashed,
// paused, recording. Pictures do not show it.
//
// # Keys, and input that clients send
//
// F8 pauses and resumes, F7 makes one tick. A game that asks [IsKeyPressed],
// [IsKeyJustPressed], [IsMouseButtonPressed] and [CursorPosition] of this package
// instead of Ebitengine's sees what send_event sends (kinds key and pointer)
// beside what people do.
//
// # Windows that are not updated
//
// Ebitengine updates a window without the focus unless SetRunnableOnUnfocused(false)
// was called; a minimised one, or a browser's hidden tab, may be updated rarely or
// not at all. The server then says that the game is stalled, and why that may be.
//
// # TPS and FPS
//
// Ticks and pictures are two things in Ebitengine. The app's summary tells both:
// tps and fps as measured, and the ticks a second that the game wants.
//
// With the tag nomcpdebug the server does nothing and the game runs as it is.
package ebitenloupe
