# Targets: test (what CI runs), check, bench, bench-quick, docs, run, and the
# protocol suites conformance and interop.

GO ?= go
FUZZTIME ?= 10s

.PHONY: test check race vet lint fuzz docs bench bench-quick run conformance interop screenshot soak

test: vet
	$(GO) test ./...
	$(GO) vet -tags nomcpdebug ./mcpdebug ./tools ./ecs/... ./examples/...
	cd benchmark && $(GO) vet ./... && $(GO) test ./...

vet:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	$(GO) vet ./...

lint:
	$(GO) tool staticcheck ./...

race:
	$(GO) test -race ./...

check: vet lint race fuzz
	$(GO) test ./mcpdebug/internal/builtin ./mcpdebug -run 'Docs|Generated' -count=1
	git diff --exit-code -- docs

# Every fuzz target of every package for FUZZTIME.
fuzz:
	@sh scripts/fuzz.sh $(FUZZTIME)

docs:
	$(GO) test ./mcpdebug ./mcpdebug/internal/builtin ./examples/game/internal/game -run 'Docs|Tour|Generated' -update -count=1

bench:
	cd benchmark && $(GO) run . -write ../docs/benchmarks.md

bench-quick:
	cd benchmark && $(GO) run . -quick

run:
	$(GO) run ./examples/game

screenshot:
	$(GO) run ./examples/game/internal/cmd/screenshot -o docs/screenshot.png

conformance:
	sh scripts/conformance.sh

interop:
	sh scripts/interop.sh

soak:
	LOUPE_SOAK=1 $(GO) test -race -run Soak -v -count=1 -timeout 5m ./internal/conformance
