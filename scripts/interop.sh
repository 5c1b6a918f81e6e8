#!/bin/sh
# Talks to the fixtures' server with clients that other people wrote.
set -eu
cd "$(dirname "$0")/.."
. scripts/npm.sh
install_npm @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/ext-tasks@0.2.2
serve

mcp-inspector --cli "$url" --transport http --method tools/list >"$work/list" 2>"$work/err" || { cat "$work/err"; exit 1; }
grep -q '"test_simple_text"' "$work/list" || { echo "inspector: tools/list lacks a tool"; exit 1; }
mcp-inspector --cli "$url" --transport http --method tools/call --tool-name test_simple_text >"$work/call" 2>"$work/err" || { cat "$work/err"; exit 1; }
grep -q 'This is a simple text response' "$work/call" || { echo "inspector: tools/call answers something else"; exit 1; }
echo "ok  inspector 2.12.0: tools/list, tools/call"

# Modules are found from where a script lies.
cp scripts/interop.mjs "$npm_dir/"
for mode in sdk legacy auto; do
	node "$npm_dir/interop.mjs" "$url" "$mode"
done
cp scripts/interop-tasks.mjs "$npm_dir/"
node "$npm_dir/interop-tasks.mjs" "$url"

# A game of types of which a schema can say little: a strict client throws the
# whole listing away for one property that is the bare true.
serve -odd
for path in "$url" "$url?schemas=full"; do
	mcp-inspector --cli "$path" --transport http --method tools/list >"$work/list" 2>"$work/err" || { cat "$work/err"; exit 1; }
	for tool in Odd_configure Odd_Echo Whatever_configure odd_echo; do
		grep -q "\"$tool\"" "$work/list" || { echo "inspector: tools/list of the odd game lacks $tool"; exit 1; }
	done
done
echo "ok  inspector 2.12.0: tools/list of a game of odd types"
cp scripts/interop-odd.mjs "$npm_dir/"
for mode in sdk legacy auto; do
	node "$npm_dir/interop-odd.mjs" "$url" "$mode"
done

# The bridge, over standard input and output, from nothing to a running game.
go build -o "$work/loupe" ./cmd/loupe
mkdir -m 700 "$work/run"
XDG_RUNTIME_DIR="$work/run" mcp-inspector --cli "$work/loupe" mcp -no-start --method tools/list >"$work/list" 2>"$work/err" || { cat "$work/err"; exit 1; }
grep -q '"session_start"' "$work/list" || { echo "inspector: the bridge lists no session tools"; exit 1; }
echo "ok  inspector 2.12.0 over the bridge: tools/list"
cp scripts/interop-bridge.mjs "$npm_dir/"
for mode in sdk auto; do
	XDG_RUNTIME_DIR="$work/run" node "$npm_dir/interop-bridge.mjs" "$work/loupe" "$PWD" "$mode"
done
