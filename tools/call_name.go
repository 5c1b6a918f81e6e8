package tools

// CallName is the tool that calls any other by name: clients whose model is
// offered listed tools only reach the rest through it. It is no tool of its own
// but the name of the one meant, so that flags, gates and checks are that one's.
const CallName = "call"
