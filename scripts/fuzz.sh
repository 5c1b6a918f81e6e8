#!/bin/sh
# Runs every fuzz target of the module for the given time each (default 10s).
set -eu
time=${1:-10s}
for pkg in $(go list ./...); do
	for f in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		echo "fuzz $pkg $f"
		go test -run '^$' -fuzz "^$f\$" -fuzztime "$time" -fuzzminimizetime 5x "$pkg"
	done
done
