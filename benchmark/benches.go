package main

// benches are the entries of the table, in its order.
var benches []bench
