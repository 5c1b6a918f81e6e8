module github.com/loupe-ecs/loupe/examples/ebiten

go 1.26.0

require (
	github.com/hajimehoshi/ebiten/v2 v2.8.8
	github.com/loupe-ecs/loupe v0.0.0
	github.com/loupe-ecs/loupe/ebitenloupe v0.0.0
	github.com/loupe-ecs/loupe/ecs/donburiworld v0.0.0
	github.com/yohamta/donburi v1.15.7
)

require (
	github.com/ebitengine/gomobile v0.0.0-20240911145611-4856209ac325 // indirect
	github.com/ebitengine/hideconsole v1.0.0 // indirect
	github.com/ebitengine/purego v0.8.0 // indirect
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/google/pprof v0.0.0-20261105003125-4bf881d7fb0b // indirect
	github.com/jezek/xgb v1.1.1 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
	github.com/modelcontextprotocol/go-sdk v1.8.0 // indirect
	github.com/segmentio/asm v1.1.3 // indirect
	github.com/segmentio/encoding v0.5.4 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	github.com/yuin/gopher-lua v1.1.2 // indirect
	golang.org/x/image v0.48.0 // indirect
	golang.org/x/oauth2 v0.35.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/time v0.15.0 // indirect
)

replace (
	github.com/loupe-ecs/loupe => ../..
	github.com/loupe-ecs/loupe/ebitenloupe => ../../ebitenloupe
	github.com/loupe-ecs/loupe/ecs/donburiworld => ../../ecs/donburiworld
)
