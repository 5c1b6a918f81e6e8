// Package played plays the example in a window, as a person and a client would:
// its tests are a program of their own, since Ebitengine wants a display as soon
// as it is linked.
package played
