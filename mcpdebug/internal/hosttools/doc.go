// Package hosttools are the tools over what a host provides in host.App, one
// subsystem a file. A tool asks for its part at each call: another app may have
// been bound since it was listed.
package hosttools
