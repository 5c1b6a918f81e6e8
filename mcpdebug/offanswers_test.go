//go:build nomcpdebug

package mcpdebug

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/loupe-ecs/loupe/tools/host"
)

// What a build without the server answers, call by call: run with -tags
// nomcpdebug.
func TestABuildWithoutTheServerRunsTheGameAndNothingElse(t *testing.T) {
	listening, err := Listen(DefaultAddr, &Options{})
	if listening == nil || err != nil {
		t.Fatalf("Listen: %v %v", listening, err)
	}
	var none *Server
	for _, s := range []*Server{listening, New(nil), none} {
		ran := 0
		s.Bind(nil, &host.App{})
		if s.Poll() || s.PollParked("load") {
			t.Error("a Poll has answered somebody")
		}
		if !s.Guard(func() { ran++ }) || ran != 1 {
			t.Errorf("Guard ran the game %d times", ran)
		}
		over := errors.New("over")
		if s.GuardErr(func() error { return over }) != over || s.GuardErr(func() error { return nil }) != nil {
			t.Error("GuardErr loses the update's error")
		}
		func() {
			defer func() {
				if recover() != "through" {
					t.Error("Guard recovers a panic that nobody could look at")
				}
			}()
			s.Guard(func() { panic("through") })
		}()
		clock := &host.StepClock{}
		if err := s.Turn(clock, 3*time.Second/60, func() error { ran++; return nil }); err != nil || ran != 4 || clock.Info().Tick != 3 {
			t.Errorf("Turn: %v, %d ticks", err, ran-1)
		}
		s.SetCrashed("x")
		if text, crashed := s.Crashed(); crashed || text != "" {
			t.Error("it has crashed")
		}
		if s.Register(nil) != nil || len(s.Tools()) != 0 || s.HasBuiltInTools() || s.URL() != "" || s.Port() != 0 {
			t.Error("there is a tool or an address")
		}
		if s.Dispatch(`{"jsonrpc":"2.0","id":1,"method":"ping"}`) != "" || s.DispatchText("<ping/>") != "" {
			t.Error("a message is answered")
		}
		s.EndTick()
		s.ResetSandbox()
		s.BindLogFile("x")
		next := slog.NewTextHandler(nil, nil)
		if s.LogHandler(next) != slog.Handler(next) || s.LogHandler(nil) == nil {
			t.Error("LogHandler does not hand on")
		}
		if s.Close() != nil || s.Close() != nil {
			t.Error("Close fails")
		}
	}
}
