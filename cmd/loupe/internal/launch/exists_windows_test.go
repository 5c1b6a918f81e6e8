package launch

import "os"

func exists(pid int) error {
	p, err := os.FindProcess(pid)
	if err == nil {
		p.Release()
	}
	return err
}
