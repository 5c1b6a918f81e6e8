module github.com/loupe-ecs/loupe/ecs/donburiworld

go 1.26.0

require (
	github.com/loupe-ecs/loupe v0.0.0
	github.com/yohamta/donburi v1.15.7
)

require (
	github.com/google/jsonschema-go v0.4.3 // indirect
	github.com/klauspost/compress v1.20.4 // indirect
)

replace github.com/loupe-ecs/loupe => ../..
