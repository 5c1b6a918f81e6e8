// Package past holds the tools that read the recording and go back in it, and
// the recorder itself: it hangs on the server's loop, takes a sample at the end
// of each tick and after every call that changed the world, and marks what
// happened.
//
//	p := past.New(host)
//	registry.MustRegister(p.Tools()...)
//	p.Bind(world, app, frame)     // frame goroutine
//
// Reading tools of other families take the argument at: they embed [At] in their
// arguments and [Tick] in their results and have [Past.Frame] give them the
// recorded world in place of the live one.
package past
