// Package page is what all list tools share: how much a page holds, where the
// next one goes on, and what a list says of itself. Embed [Args] in a tool's
// arguments and [Info] in its result, and let [Of] take the page.
package page
