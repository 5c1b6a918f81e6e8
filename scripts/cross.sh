#!/bin/sh
# Builds everything for the systems that games are built for, tests too where
# sizes differ, and runs what must hold in a browser under Node.
set -eu
cd "$(dirname "$0")/.."
for platform in windows/amd64 darwin/arm64 linux/arm64 linux/386; do
	GOOS=${platform%/*} GOARCH=${platform#*/} go build ./...
	echo "ok  $platform"
done
# The command starts other programs, which a browser does not have.
GOOS=js GOARCH=wasm go build $(go list ./... | grep -v /cmd/loupe)
GOOS=js GOARCH=wasm go run -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./internal/conformance/wasm
# On 32 bits constants overflow that fit on 64; vet compiles the tests.
GOOS=linux GOARCH=386 go vet ./ecs/... ./snapshot/... ./sandbox/... ./tools/... ./timeline/...
echo "ok  tests compile on linux/386"
