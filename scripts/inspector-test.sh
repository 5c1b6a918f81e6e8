#!/bin/sh
# Drives the inspector's page in a real browser against the running example
# game: Debian's chromium, which playwright-core steers and axe-core looks over.
set -eu
cd "$(dirname "$0")/.."
. scripts/npm.sh
if ! command -v chromium >/dev/null 2>&1; then
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi
install_npm playwright-core@1.65.1 axe-core@4.14.1 esbuild@0.28.2 @modelcontextprotocol/ext-apps@2.0.4 @modelcontextprotocol/sdk@1.32.2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/game" ./examples/game
# Modules are found from where a script lies.
cp scripts/inspector-test.mjs scripts/inspector-host.js "$npm_dir/"
node "$npm_dir/inspector-test.mjs" "$work/game" "$work" "$(command -v chromium)" "${1:-}"
