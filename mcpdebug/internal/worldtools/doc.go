// Package worldtools are the tools that read and change the ECS world. A tool
// prepares off the frame what it can from the Catalog, touches the world on the
// frame and copies out what it needs, and encodes off the frame again.
package worldtools
