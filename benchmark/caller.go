package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
)

// callerEnv makes this program a client in place of a benchmark.
const callerEnv = "LOUPE_BENCHMARK_CALLER"

// caller is a client in a process of its own that calls as fast as it can
// between start and stop.
type caller struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startCaller begins the process; calls is "agent", "past" or
// "echo".
func startCaller(url, calls string) (*caller, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &caller{cmd: exec.Command(self)}
	c.cmd.Env = append(os.Environ(), callerEnv+"="+calls+" "+url)
	c.cmd.Stderr = os.Stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := c.read(); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *caller) read() (n int, err error) {
	text, err := c.out.ReadString('\n')
	if err != nil {
		return 0, fmt.Errorf("the client has ended: %w", err)
	}
	_, err = fmt.Sscan(text, &n)
	return n, err
}

func (c *caller) start() error {
	_, err := io.WriteString(c.in, "start\n")
	return err
}

// stop waits for the last answer and tells how many there were.
func (c *caller) stop() (int, error) {
	if _, err := io.WriteString(c.in, "stop\n"); err != nil {
		return 0, err
	}
	return c.read()
}

func (c *caller) close() {
	c.in.Close()
	c.cmd.Wait()
}

// runCaller is the process's own main. It says 0 when it is connected, and
// after each stop how many calls were answered.
func runCaller(task string) error {
	calls, url, _ := strings.Cut(task, " ")
	t := newClient(url, echoBody, spoken)
	bodies := [][]byte{t.body}
	switch calls {
	case "past":
		bodies = [][]byte{
			[]byte(callBody("history", map[string]any{"where": "Health.HP < 10", "of": "avg Position.X"})),
			[]byte(callBody("find_tick", map[string]any{"where": "Health.HP < prev(Health.HP) && Position.X > 500"})),
		}
		t.want = []byte(`"samples":`)
	case "agent":
		// What an agent asks: a search, the types, counts, some values.
		bodies = [][]byte{
			[]byte(callBody("query", map[string]any{"where": "Health.HP < 10 && Position.X > 500", "limit": 20})),
			[]byte(callBody("components_info", struct{}{})),
			[]byte(callBody("stats", struct{}{})),
			[]byte(callBody("query", map[string]any{"with": []string{"Position"}, "select": []string{"Position.X"}, "limit": 20})),
		}
		t.want = []byte(`"frame":`)
	}
	if calls != "echo" {
		if err := t.connect(); err != nil {
			return err
		}
	}
	fmt.Println(0)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() { // start
		var end atomic.Bool
		done := make(chan error, 1)
		n := 0
		go func() {
			for !end.Load() {
				t.body = bodies[n%len(bodies)]
				if err := t.call(); err != nil {
					done <- err
					return
				}
				n++
			}
			done <- nil
		}()
		more := in.Scan() // stop
		end.Store(true)
		if !more {
			return nil
		}
		if err := <-done; err != nil {
			return err
		}
		fmt.Println(n)
	}
	return nil
}
