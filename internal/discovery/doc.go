// Package discovery lets programs of one user find each other's debug servers
// on one machine. A server announces itself with a small file in the user's
// runtime directory; bridges, command lines and other servers read it.
//
//	a, err := discovery.Announce(discovery.Entry{URL: url, App: "arena"})
//	defer a.Remove()
//
//	for _, e := range discovery.List() {
//		fmt.Println(e.App, e.PID, e.URL)
//	}
//
// A file says where a server is, never how to get in: it holds no token. It is
// readable for its user alone. A process that was killed leaves its file
// behind; whoever reads next sees that no process of that number and start time
// lives, and removes it.
package discovery
