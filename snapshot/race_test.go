//go:build race

package snapshot_test

func init() { worlds = 12 } // the detector makes each ten times slower
