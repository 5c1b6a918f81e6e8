package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Keep does nothing: the system itself ends a job with the process that holds
// it.
func Keep() {}

// handle is a job object with the child in it.
type handle struct {
	mu  sync.Mutex
	job windows.Handle // 0: closed
}

func (p *Process) start(exe string, s Spec, env []string, o Options) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("no job object: %w", err)
	}
	if !o.Stay {
		limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
		limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
		if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
			uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
			windows.CloseHandle(job)
			return fmt.Errorf("the job object takes no limits: %w", err)
		}
	}
	cmd := exec.Command(exe, s.Args...)
	cmd.Dir, cmd.Env = s.Dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	outR, outW, err := os.Pipe()
	if err != nil {
		windows.CloseHandle(job)
		return err
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		outR.Close()
		outW.Close()
		windows.CloseHandle(job)
		return err
	}
	cmd.Stdout, cmd.Stderr = outW, errW
	err = cmd.Start()
	outW.Close()
	errW.Close()
	if err == nil {
		err = assign(job, cmd.Process.Pid)
		if err != nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	if err != nil {
		outR.Close()
		errR.Close()
		windows.CloseHandle(job)
		return fmt.Errorf("%s cannot be started: %w", s.Name(), err)
	}
	finish := readers(o.Output, outR, errR)
	p.PID, p.job = cmd.Process.Pid, job
	go func() {
		err := cmd.Wait()
		if !o.Stay {
			p.kill() // what it has started and left behind
		}
		p.mu.Lock()
		windows.CloseHandle(p.job)
		p.job = 0
		p.mu.Unlock()
		finish()
		e := Exit{}
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			e.Code = failed.ExitCode()
		} else if err != nil {
			e = Exit{Code: -1, Error: err.Error()}
		}
		p.ended(e)
	}()
	return nil
}

func assign(job windows.Handle, pid int) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(job, h)
}

// terminate is the ^Break of a console: Go programs see os.Interrupt.
func (p *Process) terminate() {
	windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(p.PID))
}

func (p *Process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.job != 0 {
		windows.TerminateJobObject(p.job, 1)
	}
}

func quiet(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}
