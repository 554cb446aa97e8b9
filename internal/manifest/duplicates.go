package manifest

import (
	"errors"
	"fmt"
)

var errDuplicate = errors.New("given twice")

// duplicates reports the items of a list that an API server would tell apart by
// their keys, and cannot. Creating an object it lets some of them pass, such as
// two variables of one name; server-side apply, which is how objects are sent,
// refuses all. Status is what a server wrote, and is never sent.
func (c *checker) duplicates(s *shape, items []any) {
	if len(items) < 2 || !s.list.set && len(s.list.keys) == 0 || c.inStatus() {
		return
	}
	first := make(map[string]int, len(items))
	for i, item := range items {
		name, ok := itemName(s.list.keys, item)
		if s.list.set {
			name, ok = keyText(item)
		}
		before, seen := first[name]
		switch {
		case !ok:
		case !seen:
			first[name] = i
		default:
			c.steps = append(c.steps, indexStep(i))
			c.fail(duplicate(s, name, before))
			c.steps = c.steps[:len(c.steps)-1]
		}
	}
}

// duplicate says which item is there before. Keys are no secrets, for paths
// hold them; the values of a set may be.
func duplicate(s *shape, name string, before int) error {
	if s.list.set {
		return fmt.Errorf("%w: the list has this value already, at [%d]; remove one", errDuplicate, before)
	}
	return fmt.Errorf("%w: the list has an item with %s already, at [%d]; remove one, for the API tells the items of this list apart by that",
		errDuplicate, name, before)
}

func (c *checker) inStatus() bool {
	for _, s := range c.steps {
		if !s.list && s.name == "status" {
			return true
		}
	}
	return false
}
