// Package blocks is the container of a snapshot file, and how columns of scalars
// are cut for it; it knows nothing of worlds.
//
// A file is the magic, the version, and blocks. A block is
//
//	kind 1 | codec 1 | raw length 4 | stored length 4 | stored bytes | CRC-32C 4
//
// in little-endian order. The checksum covers the block's number, its head and
// its stored bytes, so that blocks can be neither changed nor moved. The first
// block is the header ('H', JSON), then the body is cut into blocks of at most
// blockSize ('B'), anywhere, and the last ('E') holds the number of body blocks
// and bytes; nothing may follow it. Blocks are compressed on their own: both
// directions use all processors, and a header is read without the body.
//
// Pointer-free columns are cut into byte planes, a block each where they are
// long (lanes.go).
package blocks
