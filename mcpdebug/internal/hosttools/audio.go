package hosttools

import (
	"github.com/loupe-ecs/loupe/tools"
	"github.com/loupe-ecs/loupe/tools/host"
)

func Audio() []*tools.Tool {
	return tools.Family(tools.Spec{Group: "subsystems", NeedsApp: true},
		tools.New(tools.Spec{Name: "audio", Effect: tools.ReadOnly, Example: `{}`,
			Description: "What plays now, and the sounds that are loaded."}, audioInfo),
		tools.New(tools.Spec{Name: "reload_sound", Idempotent: true, Example: `{"name":"shot"}`,
			Description: "Reads a sound's file again; a broken one is refused."}, reloadSound),
	)
}

func audioInfo(f *tools.Frame, _ struct{}) (host.AudioInfo, error) {
	if f.App.Audio == nil {
		return host.AudioInfo{}, lacks("audio")
	}
	info := f.App.Audio.Info()
	info.Playing, info.Sounds = orEmpty(info.Playing), orEmpty(info.Sounds)
	return info, nil
}

type reloadSoundArgs struct {
	Name string `json:"name" jsonschema:"sound or file name"`
}

type reloadSoundResult struct {
	host.Sound
	Reloaded bool `json:"reloaded" jsonschema:"true: the next voice plays the new samples"`
}

func reloadSound(f *tools.Frame, in reloadSoundArgs) (reloadSoundResult, error) {
	if f.App.Audio == nil {
		return reloadSoundResult{}, lacks("audio")
	}
	s, err := f.App.Audio.Reload(in.Name)
	return reloadSoundResult{Sound: s, Reloaded: err == nil}, err
}
