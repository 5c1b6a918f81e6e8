package launch

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// Options say how to run a program.
type Options struct {
	Output *Output // gets what it prints
	// Stay lets it run on when the parent ends.
	Stay bool
}

// Exit is how a program ended.
type Exit struct {
	Code   int    `json:"code" jsonschema:"exit status; -1 if a signal ended it"`
	Signal string `json:"signal,omitempty" jsonschema:"the signal that ended it"`
	Error  string `json:"error,omitempty" jsonschema:"why it could not be started or watched"`
}

// String says it in words.
func (e Exit) String() string {
	switch {
	case e.Error != "":
		return e.Error
	case e.Signal != "":
		return "signal: " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// Process is a running child.
type Process struct {
	PID  int
	done chan struct{}
	exit Exit
	once sync.Once
	handle
}

// Start runs exe with what s says. It returns once the process exists.
func Start(exe string, s Spec, o Options) (*Process, error) {
	p := &Process{done: make(chan struct{})}
	env := os.Environ()
	for _, k := range slices.Sorted(maps.Keys(s.Env)) {
		env = append(env, k+"="+s.Env[k])
	}
	if err := p.start(exe, s, env, o); err != nil {
		return nil, err
	}
	return p, nil
}

// Done is closed when the process has ended and all it printed is kept.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit waits for the end.
func (p *Process) Exit() Exit {
	<-p.done
	return p.exit
}

func (p *Process) ended(e Exit) {
	p.once.Do(func() {
		p.exit = e
		close(p.done)
	})
}

// Stop asks the process to end, and after the grace ends it and everything that
// it has started.
func (p *Process) Stop(grace time.Duration) Exit {
	if grace > 0 {
		p.terminate()
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-p.done:
			return p.exit
		case <-timer.C:
		}
	}
	p.kill()
	return p.Exit()
}

// drainFor bounds the wait for output after the end: a grandchild that lives on
// may hold the pipe.
const drainFor = 500 * time.Millisecond

// readers copy a child's two streams into the output kept.
func readers(o *Output, stdout, stderr io.ReadCloser) (finish func()) {
	var wait sync.WaitGroup
	wait.Go(func() { o.read("stdout", stdout) })
	wait.Go(func() { o.read("stderr", stderr) })
	return func() {
		all := make(chan struct{})
		go func() { wait.Wait(); close(all) }()
		timer := time.NewTimer(drainFor)
		defer timer.Stop()
		select {
		case <-all:
		case <-timer.C:
		}
		stdout.Close()
		stderr.Close()
	}
}
