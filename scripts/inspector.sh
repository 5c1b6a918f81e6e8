#!/bin/sh
# Builds the inspector's page from mcpdebug/internal/inspector/web into one
# compressed document that the server embeds.
#
#   scripts/inspector.sh vendor   fetch the pinned libraries anew
#   scripts/inspector.sh build    write inspector.html.gz
#   scripts/inspector.sh check    fail if it is not what build would write
set -eu
cd "$(dirname "$0")/.."
. scripts/npm.sh
dir=mcpdebug/internal/inspector
# preact 11 needs no polyfill in any browser that has CSS nesting.
libraries="preact@11.2.0 htm@3.1.1 @preact/signals@2.11.4 uplot@1.6.32"
install_npm esbuild@0.28.2 $libraries
modules="$npm_dir/node_modules"

case "${1:-build}" in
vendor)
	v="$dir/web/vendor"
	rm -rf "$v"
	mkdir -p "$v"
	cp "$modules/preact/dist/preact.mjs" "$v/preact.mjs"
	cp "$modules/preact/hooks/dist/hooks.mjs" "$v/hooks.mjs"
	cp "$modules/htm/dist/htm.module.js" "$v/htm.mjs"
	cp "$modules/@preact/signals/dist/signals.module.js" "$v/signals.mjs"
	cp "$modules/@preact/signals-core/dist/signals-core.module.js" "$v/signals-core.mjs"
	cp "$modules/uplot/dist/uPlot.esm.js" "$v/uplot.mjs"
	cp "$modules/uplot/dist/uPlot.min.css" "$v/uplot.css"
	for f in "$v"/*.mjs; do sed -i '/^\/\/# sourceMappingURL/d' "$f"; done
	for p in preact htm @preact/signals @preact/signals-core uplot; do
		name=$(echo "$p" | tr -d '@' | tr / -)
		cp "$modules/$p/LICENSE" "$v/LICENSE.$name"
		node -p "'$p ' + require('$modules/$p/package.json').version"
	done >"$v/VERSIONS"
	cat "$v/VERSIONS"
	;;
build | check)
	node "$dir/web/build.mjs" "$modules/esbuild/lib/main.js" "$dir" "$1"
	;;
*)
	echo "usage: $0 vendor|build|check" >&2
	exit 2
	;;
esac
