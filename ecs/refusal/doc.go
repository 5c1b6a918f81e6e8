// Package refusal is the one typed error of Loupe, and the spelling distance
// that puts the nearest real names into it.
//
// A refusal says what was received, what is legal and what to do next, with at
// most [MaxOptions] real options, nearest spelling first:
//
//	return &refusal.Error{Code: refusal.NotFound, Message: "there is no layer " + strconv.Quote(name), Got: name,
//		Want: "the name of a layer", Options: refusal.Nearest(name, names), Total: len(names), Next: "layers_list"}
//
// A [Code] is an error itself: errors.Is(err, refusal.NotFound) asks for the
// kind. Everything here may be called from any goroutine.
package refusal
