package hosttools

import (
	"math"

	"github.com/loupe-ecs/loupe/ecs/refusal"
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

func Camera() []*tools.Tool {
	return tools.Family(tools.Spec{Group: "subsystems", NeedsApp: true},
		tools.New(tools.Spec{Name: "camera_info", Effect: tools.ReadOnly, Example: `{}`,
			Description: "Where the camera is and what it shows."}, cameraInfo),
		tools.New(tools.Spec{Name: "camera_move", Idempotent: true, Example: `{"x":100,"y":80,"zoom":2}`,
			Description: "Moves, zooms or turns the camera."}, cameraMove),
	)
}

func cameraInfo(f *tools.Frame, _ struct{}) (host.CameraInfo, error) {
	if f.App.Camera == nil {
		return host.CameraInfo{}, lacks("camera")
	}
	return f.App.Camera.Info(), nil
}

type cameraMoveArgs struct {
	X        *float64 `json:"x,omitempty" jsonschema:"centre x"`
	Y        *float64 `json:"y,omitempty" jsonschema:"centre y"`
	Zoom     *float64 `json:"zoom,omitempty" jsonschema:"above 0; 1 is the usual view"`
	Rotation *float64 `json:"rotation,omitempty" jsonschema:"radians"`
}

func cameraMove(f *tools.Frame, in cameraMoveArgs) (host.CameraInfo, error) {
	if f.App.Camera == nil {
		return host.CameraInfo{}, lacks("camera")
	}
	args := []struct {
		name string
		v    *float64
	}{{"x", in.X}, {"y", in.Y}, {"zoom", in.Zoom}, {"rotation", in.Rotation}}
	given := false
	for _, a := range args {
		if a.v == nil {
			continue
		}
		given = true
		if err := mustBeFinite(a.name, *a.v); err != nil {
			return host.CameraInfo{}, err
		}
	}
	if !given {
		return host.CameraInfo{}, &refusal.Error{Code: refusal.InvalidArguments, Message: "nothing to move: name at least one of x, y, zoom, rotation",
			Options: []string{"x", "y", "zoom", "rotation"}, Total: 4}
	}
	if in.Zoom != nil && *in.Zoom <= 0 {
		return host.CameraInfo{}, &refusal.Error{Code: refusal.InvalidArguments, Message: "zoom must be greater than 0", Got: *in.Zoom, Want: "a number greater than 0"}
	}
	if err := f.App.Camera.Move(host.CameraMove{X: in.X, Y: in.Y, Zoom: in.Zoom, Rotation: in.Rotation}); err != nil {
		return host.CameraInfo{}, err
	}
	return f.App.Camera.Info(), nil
}

// mustBeFinite refuses NaN and the infinities, which number arguments can be.
func mustBeFinite(name string, v float64) error {
	if !math.IsNaN(v) && !math.IsInf(v, 0) {
		return nil
	}
	got := "NaN"
	if math.IsInf(v, 1) {
		got = "Infinity"
	} else if math.IsInf(v, -1) {
		got = "-Infinity"
	}
	return &refusal.Error{Code: refusal.InvalidArguments, Message: name + " must be a finite number", Got: got, Want: "a finite number"}
}
