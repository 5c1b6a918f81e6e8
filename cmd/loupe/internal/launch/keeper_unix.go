//go:build unix

package launch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// KeeperArg is the first argument of a program that is to be a keeper.
const KeeperArg = "__loupe-keep"

// The keeper's extra files.
const (
	orders  = 3 // from the parent: one byte each; its end is the parent's
	reports = 4 // to the parent: one JSON line each
	outTap  = 5 // the read ends of the streams of a child that may stay: they
	errTap  = 6 // must not break when the parent is gone
)

const (
	orderTerminate = 't'
	orderKill      = 'k'
)

// report is a line from the keeper.
type report struct {
	PID  int   `json:"pid,omitempty"`
	Exit *Exit `json:"exit,omitempty"`
}

// keeperGrace is how long a child whose parent is gone has to end by itself.
const keeperGrace = 3 * time.Second

// Keep turns the program into a keeper if it was run as one; it does not return
// then. main calls it first.
func Keep() {
	if len(os.Args) < 4 || os.Args[1] != KeeperArg {
		return
	}
	// The system tells a child of its parent's death when the thread ends that
	// made it: this one must be the process's own.
	runtime.LockOSThread()
	os.Exit(keep(os.Args[2] == "stay", os.Args[3], os.Args[4:]))
}

func keep(stay bool, exe string, args []string) int {
	stopping := make(chan os.Signal, 4)
	signal.Notify(stopping, syscall.SIGTERM, syscall.SIGINT)
	// Caught, not ignored: the child would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGPIPE)
	parent, out := os.NewFile(orders, "orders"), os.NewFile(reports, "reports")
	files := []int{orders, reports}
	if stay {
		files = append(files, outTap, errTap)
	}
	for _, fd := range files {
		syscall.CloseOnExec(fd)
	}
	tell := func(r report) {
		b, _ := json.Marshal(r)
		out.Write(append(b, '\n'))
	}
	cmd := exec.Command(exe, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = groupOfItsOwn()
	if err := cmd.Start(); err != nil {
		tell(report{Exit: &Exit{Code: -1, Error: err.Error()}})
		return 1
	}
	pid := cmd.Process.Pid
	tell(report{PID: pid})

	ended := make(chan Exit, 1)
	go func() { ended <- exitOf(cmd.Wait()) }()
	given := make(chan byte)
	go func() {
		r := bufio.NewReader(parent)
		for {
			b, err := r.ReadByte()
			if err != nil {
				close(given)
				return
			}
			given <- b
		}
	}()
	kill := func() { syscall.Kill(-pid, syscall.SIGKILL) }
	var deadline <-chan time.Time
	terminate := func() {
		syscall.Kill(-pid, syscall.SIGTERM)
		deadline = time.After(keeperGrace)
	}
	for {
		select {
		case e := <-ended:
			kill() // what it has started and left behind
			tell(report{Exit: &e})
			return 0
		case <-stopping:
			terminate()
		case <-deadline:
			kill()
		case order, ok := <-given:
			switch {
			case ok && order == orderKill:
				kill()
			case ok:
				syscall.Kill(-pid, syscall.SIGTERM)
			case stay:
				given = nil
				go io.Copy(io.Discard, os.NewFile(outTap, "stdout"))
				go io.Copy(io.Discard, os.NewFile(errTap, "stderr"))
			default:
				given = nil
				terminate()
			}
		}
	}
}

func exitOf(err error) Exit {
	var failed *exec.ExitError
	switch {
	case err == nil:
		return Exit{}
	case errors.As(err, &failed):
		if st, ok := failed.Sys().(syscall.WaitStatus); ok && st.Signaled() {
			return Exit{Code: -1, Signal: st.Signal().String()}
		}
		return Exit{Code: failed.ExitCode()}
	}
	return Exit{Code: -1, Error: err.Error()}
}

// handle is the parent's side of a keeper.
type handle struct {
	orders *os.File
}

func (p *Process) start(exe string, s Spec, env []string, o Options) error {
	self, err := ownProgram()
	if err != nil {
		return err
	}
	pipe := func() (r, w *os.File) {
		if err != nil {
			return nil, nil
		}
		r, w, err = os.Pipe()
		return r, w
	}
	ordersR, ordersW := pipe()
	reportsR, reportsW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	if err != nil {
		for _, f := range []*os.File{ordersR, ordersW, reportsR, reportsW, outR, outW, errR, errW} {
			f.Close() // nil: an error and no harm
		}
		return fmt.Errorf("no pipes for a child: %w", err)
	}
	mode, extra := "end", []*os.File{ordersR, reportsW}
	if o.Stay {
		mode, extra = "stay", append(extra, outR, errR)
	}
	cmd := exec.Command(self, append([]string{KeeperArg, mode, exe}, s.Args...)...)
	cmd.Dir, cmd.Env = s.Dir, env
	cmd.Stdout, cmd.Stderr = outW, errW
	cmd.ExtraFiles = extra
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal's ^C is not for it
	err = cmd.Start()
	for _, f := range []*os.File{ordersR, reportsW, outW, errW} {
		f.Close() // the keeper has them
	}
	if err != nil {
		for _, f := range []*os.File{ordersW, reportsR, outR, errR} {
			f.Close()
		}
		return fmt.Errorf("the keeper of %s cannot be started: %w", s.Name(), err)
	}
	finish := readers(o.Output, outR, errR)
	said := json.NewDecoder(reportsR)
	var first report
	failed := said.Decode(&first)
	wait := func() Exit {
		defer func() {
			ordersW.Close()
			reportsR.Close()
			cmd.Wait()
			finish()
		}()
		if first.Exit != nil {
			return *first.Exit
		}
		var last report
		if err := said.Decode(&last); err != nil || last.Exit == nil {
			return Exit{Code: -1, Error: "it is not known how it ended: its keeper is gone"}
		}
		return *last.Exit
	}
	if failed != nil || first.Exit != nil {
		if failed != nil {
			first.Exit = &Exit{Code: -1, Error: "its keeper ended at once"}
		}
		e := wait()
		return fmt.Errorf("%s cannot be started: %s", s.Name(), e)
	}
	p.PID, p.orders = first.PID, ordersW
	go func() { p.ended(wait()) }()
	return nil
}

func (p *Process) terminate() { p.orders.Write([]byte{orderTerminate}) }
func (p *Process) kill()      { p.orders.Write([]byte{orderKill}) }

// ownProgram is the file that this process runs, also where it was replaced
// meanwhile.
func ownProgram() (string, error) {
	if runtime.GOOS == "linux" {
		if _, err := os.Stat("/proc/self/exe"); err == nil {
			return "/proc/self/exe", nil
		}
	}
	return os.Executable()
}

// quiet keeps a terminal's ^C from a tool, and ends all of it when cancelled.
func quiet(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
