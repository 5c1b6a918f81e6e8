module github.com/loupe-ecs/loupe/benchmark

go 1.26.0

require (
	github.com/loupe-ecs/loupe v0.0.0
	github.com/mark3labs/mcp-go v1.2.1
	github.com/mlange-42/arche v0.15.3
	github.com/mlange-42/arche-serde v0.2.1
	github.com/mlange-42/ark v0.8.1
	github.com/yuin/gopher-lua v1.1.2
)

replace github.com/loupe-ecs/loupe => ../
