package session

const exeSuffix = ".exe"
