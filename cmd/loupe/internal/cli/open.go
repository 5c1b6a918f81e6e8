package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/loupe-ecs/loupe/mcpdebug"
)

func (a *app) openCommand() *cobra.Command {
	var addr string
	c := &cobra.Command{
		Use: "open FILE", Short: "Serves a recording as a game that can be asked and not changed", Args: args(1, 1),
		Long: "open shows what record_save, or a black box, wrote: query, info, run_lua with at, history, find_tick, snapshot_diff, crash_report, logs and the rest,\n" +
			"over MCP and as the page of the inspector, without the game and without Go. It runs until it is interrupted.",
		RunE: func(c *cobra.Command, files []string) error {
			s, err := mcpdebug.ListenRecording(files[0], addr, &mcpdebug.Options{Token: os.Getenv("LOUPE_TOKEN")})
			if err != nil {
				return err
			}
			defer s.Close()
			fmt.Fprintf(a.out, "debug server listening at %s\n", s.URL())
			<-c.Context().Done()
			return nil
		},
	}
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "where to listen")
	return c
}
