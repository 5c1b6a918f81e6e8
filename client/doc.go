// Package client talks to a running game from Go: tests, bots, editors, scripts
// that outgrew a command line.
//
//	c, err := client.Connect(ctx, "arena", nil) // by app; "" is the only game, "127.0.0.1:7100" an address
//	defer c.Close()
//
//	player, err := c.Find(ctx, "player")
//	hp, err := player.Component("Health").Get(ctx, "HP")
//	err = player.Component("Health").Set(ctx, "HP", 100)
//	for e, err := range c.Query(ctx, client.Query{Where: "Health.HP < 10"}) { ... }
//
// [Entity], [Component] and [Resource] are handles: they hold a name and ask the
// game each time. Nothing panics, whatever the game answers. A refusal of the
// game is a *refusal.Error with its code and options; errors.Is(err,
// refusal.EntityDead) asks for the kind. What went wrong on the way is a
// *ConnectionError.
//
// A [Client] may be used by any goroutine. The game answers one call a frame: a
// call takes a frame's time or more.
package client
