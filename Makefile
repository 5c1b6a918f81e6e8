# Targets: test (what CI runs), check, bench, bench-quick, docs, run, and the
# protocol suites conformance and interop.

GO ?= go
FUZZTIME ?= 10s
LUAPROGRAMS ?= 20000
LUASEED ?= 0
N ?= 40
SEED ?= 0

.PHONY: engines inspector inspector-test test check race vet lint fuzz fuzz-lua mutate docs bench bench-quick run conformance interop cross screenshot soak

test: vet
	$(GO) test ./...
	$(GO) vet -tags nomcpdebug ./mcpdebug ./tools ./ecs/... ./examples/...
	$(GO) test -tags nomcpdebug ./mcpdebug -run WithoutTheServer
	cd benchmark && $(GO) vet ./... && $(GO) test ./...

# The modules of engines that the root module does not download: donburi, and
# Ebitengine with a real window (Debian: xvfb x11-apps xorg-dev libgl1-mesa-dev).
ENGINES = ecs/donburiworld ebitenloupe examples/ebiten

engines:
	for d in $(ENGINES); do (cd $$d && $(GO) vet ./...) || exit 1; done
	cd ecs/donburiworld && $(GO) test ./... && $(GO) test -race ./...
	cd ebitenloupe && xvfb-run -a $(GO) test ./... && $(GO) vet -tags nomcpdebug ./...
	cd examples/ebiten && $(GO) test ./...

vet:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run gofmt -w on these files"; exit 1; }
	$(GO) vet ./...

lint:
	$(GO) tool staticcheck ./...

race:
	$(GO) test -race ./...

check: vet lint race fuzz
	LOUPE_CALLS=10000 $(GO) test ./tools/text -run Agree -count=1
	$(GO) test ./mcpdebug/internal/builtin ./mcpdebug -run 'Docs|Generated' -count=1
	git diff --exit-code -- docs

# Generated Lua programs in the sandbox beside the program lua5.1 (Debian's
# package of that name). LUASEED=0 takes new ones each time.
fuzz-lua:
	$(GO) test ./sandbox -run 'TestLua51$$' -count=1 -timeout 30m -v -lua51 $(LUAPROGRAMS) -lua51.seed $(LUASEED)

# Every fuzz target of every package for FUZZTIME.
fuzz: fuzz-lua
	@sh scripts/fuzz.sh $(FUZZTIME)

# Makes N mistakes in the product, one at a time, and tells which the tests do
# not see. SEED=0 takes new ones; PACKAGES narrows it: PACKAGES=./ecs/query.
mutate:
	cd benchmark && $(GO) run ./mutate -n $(N) -seed $(SEED) $(PACKAGES)

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

# The page for people: what its sources give, and a browser that uses it.
inspector:
	sh scripts/inspector.sh build

inspector-test:
	sh scripts/inspector.sh check
	sh scripts/inspector-test.sh

conformance:
	sh scripts/conformance.sh

interop:
	sh scripts/interop.sh

# Other systems: everything builds for them.
cross:
	sh scripts/cross.sh

soak:
	LOUPE_SOAK=1 $(GO) test -race -run Soak -v -count=1 -timeout 5m ./internal/conformance
	LOUPE_SOAK=1 $(GO) test -run Soak -v -count=1 -timeout 30m ./cmd/loupe/internal/session
