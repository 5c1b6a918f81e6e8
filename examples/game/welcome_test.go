package main

import (
	"os/exec"
	"strings"
	"testing"
)

// What the game says to do works when it is done, word for word.
func TestTheCommandByHandWorks(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl here")
	}
	p := start(t)
	for p.out.Scan() {
		command, ok := strings.CutPrefix(p.out.Text(), "  by hand:")
		if !ok {
			continue
		}
		out, err := exec.Command("sh", "-c", command).Output()
		if err != nil || !strings.Contains(string(out), `"appName":"arena"`) {
			t.Errorf("%s\n%s %v", command, out, err)
		}
		return
	}
	t.Error("the game says no such command")
}
