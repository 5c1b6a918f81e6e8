# Sourced by the scripts that need Node programs: installs pinned ones into a
# cache outside the checkout and puts Node 22 first in PATH.
#
#   LOUPE_NPM_CACHE  where they are kept (default: the user's cache directory)

npm_dir="${LOUPE_NPM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/loupe-npm}"

install_npm() {
	mkdir -p "$npm_dir"
	[ -f "$npm_dir/package.json" ] || echo '{"private":true}' >"$npm_dir/package.json"
	want="node@22 $*"
	mark="$npm_dir/.installed-$(basename "$1")"
	if [ "$(cat "$mark" 2>/dev/null)" != "$want" ]; then
		(cd "$npm_dir" && npm install --no-audit --no-fund --no-save=false node@22 "$@" >install.log 2>&1) || {
			cat "$npm_dir/install.log" >&2
			echo "npm could not install: $want" >&2
			exit 1
		}
		echo "$want" >"$mark"
	fi
	PATH="$npm_dir/node_modules/node/bin:$npm_dir/node_modules/.bin:$PATH"
	export PATH
}

# serve starts the fixtures' server, or with -odd the game of odd types, and
# sets url; it ends with the script.
serve() {
	if [ -z "${work:-}" ]; then
		work=$(mktemp -d)
		servers=
		trap 'kill $servers 2>/dev/null; rm -rf "$work"' EXIT
		go build -o "$work/server" ./internal/conformance/server
	fi
	: >"$work/url"
	"$work/server" -addr 127.0.0.1:0 "$@" >"$work/url" 2>"$work/log" &
	server=$!
	servers="$servers $server"
	tries=0
	until url=$(head -n 1 "$work/url") && [ -n "$url" ]; do
		tries=$((tries + 1))
		if [ "$tries" -gt 100 ] || ! kill -0 "$server" 2>/dev/null; then
			cat "$work/log" >&2
			echo "the server did not start" >&2
			exit 1
		fi
		sleep 0.1
	done
}
