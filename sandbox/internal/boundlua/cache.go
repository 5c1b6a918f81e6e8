package boundlua

import (
	"container/list"
	"sync"
)

// cache keeps the programs used last.
type cache struct {
	mu    sync.Mutex
	max   int
	order list.List // of *program, the latest first
	byKey map[string]*list.Element
}

func (c *cache) get(source string) *program {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.byKey[source]
	if el == nil {
		return nil
	}
	c.order.MoveToFront(el)
	return el.Value.(*program)
}

func (c *cache) put(p *program) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKey == nil {
		c.byKey = map[string]*list.Element{}
	}
	if c.byKey[p.Text] != nil {
		return
	}
	c.byKey[p.Text] = c.order.PushFront(p)
	for c.order.Len() > c.max {
		last := c.order.Back()
		c.order.Remove(last)
		delete(c.byKey, last.Value.(*program).Text)
	}
}
