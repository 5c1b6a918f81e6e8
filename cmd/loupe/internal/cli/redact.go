package cli

import (
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/loupe-ecs/loupe/blackbox"
)

func (a *app) redactCommand() *cobra.Command {
	var r blackbox.Redaction
	var out string
	var logs []string
	c := &cobra.Command{
		Use: "redact FILE -o OUT", Short: "Copies a recording without what is not to be passed on", Args: args(1, 1),
		Example: `  loupe redact crash.loupe -o mailed.loupe -field Account.Name -log '\w+@\w+' -paths`,
		Long: "redact writes a new file; the old one stays as it is. Values that are taken out are zero in it and shown as private, with the labels and\n" +
			"computed values of their components; lines of the log that match are replaced. What you do not name is kept.",
		RunE: func(_ *cobra.Command, files []string) (err error) {
			if out == "" {
				return usageError{errors.New("say where the copy goes: -o OUT")}
			}
			for _, text := range logs {
				re, err := regexp.Compile(text)
				if err != nil {
					return usageError{fmt.Errorf("-log: %w", err)}
				}
				r.Logs = append(r.Logs, re)
			}
			return a.redact(files[0], out, r)
		},
	}
	f := c.Flags()
	f.StringVarP(&out, "out", "o", "", "the file to write; it must not exist")
	f.StringArrayVar(&r.Components, "component", nil, "empty a component (repeatable)")
	f.StringArrayVar(&r.Fields, "field", nil, "empty a field, as Health.HP (repeatable)")
	f.StringArrayVar(&r.Resources, "resource", nil, "empty a resource (repeatable)")
	f.StringArrayVar(&logs, "log", nil, "replace lines of the log that match, and matches in stacks and marks (repeatable)")
	f.BoolVar(&r.Paths, "paths", false, "shorten paths of files to their last part; leaves out profiles")
	f.BoolVar(&r.States, "states", false, "leave out host states and inputs")
	f.BoolVar(&r.Screen, "screen", false, "leave out the screenshot")
	return c
}

// redact leaves no copy behind where it fails: half of one might be passed on.
func (a *app) redact(from, to string, r blackbox.Redaction) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", from)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	damage, err := blackbox.Redact(out, in, info.Size(), r)
	if err = errors.Join(err, out.Close()); err != nil {
		os.Remove(to)
		return err
	}
	if damage != "" {
		fmt.Fprintln(a.err, "the copy ends where the file is damaged:", damage)
	}
	fmt.Fprintln(a.out, to)
	return nil
}
