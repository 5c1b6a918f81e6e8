// Package text is tools in plain text: what a model is told that has no tool
// calling, what constrains it while it writes, and what finds the calls in what
// it wrote. Everything follows from the types and descriptions that
// the tools were registered with; nothing is described twice.
//
//	l := text.Of(registry, registry.Validate)
//	prompt := l.Convention(8 << 10)           // how each tool is called, in words
//	schema := l.XSD(1 << 20)                  // the XML form as XML Schema
//	lark, _ := l.Grammar(text.Lark, 1 << 20)  // the XML and JSON forms as a grammar
//	found, _ := l.Extract(answer)             // the calls in a model's answer
//
// # Forms
//
// A call is written as XML or as JSON:
//
//	<Health_configure entity="42v3" HP="7"/>
//	{"tool":"Health_configure","arguments":{"entity":"42v3","HP":7}}
//
// In XML, words are attributes, and so are lists of numbers ("1 2 3"); anything
// else is an element of the argument's name: the items of a list in <item>,
// the entries of a map in <entry key="...">.
//
// # Extraction
//
// [Listing.Extract] and [Scanner] read what models make of that: fences,
// curly or missing quotes, HTML entities, trailing commas, Python's words,
// the marks of common chat templates, functions.x(...). What had to be put
// right is listed, nothing else is guessed: a call that is only shown is
// [Quoted], one in a thought is [Thought], one that the text cuts off is
// [Incomplete]. Whether a call may run is the business of the check that every
// call goes through. Time is linear in the text, whatever it holds.
//
// A [Listing] may be used by any goroutine; a [Scanner] belongs to one.
package text
