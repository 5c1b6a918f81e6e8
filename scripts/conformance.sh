#!/bin/sh
# Runs the protocol's official test suite against the fixtures' server.
# Scenarios that may fail are listed, with the reason, in
# scripts/conformance-expected.yml; a failure beside them fails the script.
set -eu
cd "$(dirname "$0")/.."
. scripts/npm.sh
install_npm @modelcontextprotocol/conformance@0.1.16
serve
conformance server --url "$url" --suite all --expected-failures scripts/conformance-expected.yml --output-dir "$work/results" >"$work/out" 2>&1 || {
	cat "$work/out"
	exit 1
}
sed -n '/=== SUMMARY ===/,$p' "$work/out"
