package manifest

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Project returns what a live object has where owned has fields, so that the two
// can be compared: a path the live object lacks is absent, fields and items of
// keyed lists that are not owned do not show. Of lists of scalars and lists by
// position the whole live list counts, so an item too many shows. An owned {},
// [] or null shows as owned when the server dropped it or filled it in, for it
// owns nothing inside. Project(obj, Flatten(obj)) equals Flatten(obj).
func Project(live *unstructured.Unstructured, owned Fields) Fields {
	p := projection{out: make(Fields, len(owned))}
	p.live.leaf = func(path string, value any) { p.out[path] = value }
	p.nodes = ownedNodes(owned)
	s := shapeOf(live.GroupVersionKind())
	for child := p.nodes[""].first; child != nil; child = child.next {
		value, found := live.Object[child.step.name]
		p.node(child, s.child(child.step.name), value, found)
	}
	return p.out
}

// ownedNode is a value that an owned path leads to or through.
type ownedNode struct {
	step  step
	path  string
	first *ownedNode // of its children
	next  *ownedNode // of its siblings
	leaf  bool
	value any // of a leaf
}

// ownedNodes returns the nodes of all owned paths by path; the root is "".
func ownedNodes(owned Fields) map[string]*ownedNode {
	nodes := make(map[string]*ownedNode, 2*len(owned)+1)
	nodes[""] = &ownedNode{}
	for path, value := range owned {
		if node, ok := addPath(nodes, path); ok {
			node.leaf, node.value = true, value
		}
	}
	return nodes
}

func addPath(nodes map[string]*ownedNode, path string) (*ownedNode, bool) {
	node := nodes[""]
	for token, err := range pathTokens(path) {
		if err != nil {
			return nil, false
		}
		child, known := nodes[path[:token.end]]
		if !known {
			child = &ownedNode{step: token.step, path: path[:token.end], next: node.first}
			node.first = child
			nodes[child.path] = child
		}
		node = child
	}
	return node, true
}

type projection struct {
	nodes map[string]*ownedNode
	live  walker
	out   Fields
}

// whole adds all leaves of a live value.
func (p *projection) whole(path string, s *shape, value any) {
	if isScalar(value) {
		p.out[path] = leafValue(s, value)
		return
	}
	p.live.path = append(p.live.path[:0], path...)
	p.live.value(s, value)
}

func (p *projection) node(n *ownedNode, s *shape, live any, found bool) {
	if n.first == nil {
		p.leaf(n, s, live, found)
		return
	}
	switch live := live.(type) {
	case nil:
		p.dropped(n)
	case map[string]any:
		for child := n.first; child != nil; child = child.next {
			if !child.step.list {
				value, found := live[child.step.name]
				p.node(child, s.child(child.step.name), value, found)
			}
		}
	case []any:
		p.list(n, s, live)
	default:
		p.whole(n.path, s, live)
	}
}

// leaf compares one owned leaf with what is live in its place.
func (p *projection) leaf(n *ownedNode, s *shape, live any, found bool) {
	if !n.leaf {
		return // Part of a path that is none.
	}
	if n.step.item != "" {
		// An item with nothing but its keys: that it is there is all it says.
		if found {
			p.out[n.path] = n.value
		}
		return
	}
	if live == nil || n.value == nil {
		if isEmpty(n.value) {
			p.out[n.path] = n.value
		}
		return
	}
	if isEmpty(n.value) && ownsNothing(s, n.value, live) {
		p.out[n.path] = n.value
		return
	}
	p.whole(n.path, s, live)
}

// dropped shows the empty leaves below a map that the server dropped.
func (p *projection) dropped(n *ownedNode) {
	for child := n.first; child != nil; child = child.next {
		if child.step.list {
			continue
		}
		if child.first != nil {
			p.dropped(child)
		} else if isEmpty(child.value) {
			p.out[child.path] = child.value
		}
	}
}

// list compares the owned items of one list with the live list.
func (p *projection) list(n *ownedNode, s *shape, live []any) {
	byPosition := false
	for child := n.first; child != nil; child = child.next {
		byPosition = byPosition || child.step.item == ""
	}
	switch {
	case byPosition && allScalars(live):
		p.whole(n.path, s, live)
	case byPosition:
		p.positions(n, s, live)
	default:
		p.named(n, s, live)
	}
}

func (p *projection) positions(n *ownedNode, s *shape, live []any) {
	for i, item := range live {
		path := appendIndex([]byte(n.path), i)
		if child, owned := p.nodes[string(path)]; owned {
			p.node(child, s.item(), item, true)
		} else {
			p.whole(string(path), s.item(), item)
		}
	}
}

func (p *projection) named(n *ownedNode, s *shape, live []any) {
	keys := itemKeys(s)
	var order []any
	seen := map[*ownedNode]bool{}
	for _, item := range live {
		name, ok := itemName(keys, item)
		child, owned := p.nodes[n.path+"["+name+"]"]
		if !ok || !owned || seen[child] {
			continue
		}
		seen[child] = true
		p.node(child, s.item(), item, true)
		first, _ := field(item, keys[0].name)
		order = append(order, first)
	}
	if n.leaf && len(order) > 0 {
		p.out[n.path] = leafValue(nil, order)
	}
}

// ownsNothing reports whether an owned empty value leaves it to the server what
// is inside: a map does, and a list whose items have names.
func ownsNothing(s *shape, owned, live any) bool {
	switch live.(type) {
	case map[string]any:
		_, isMap := owned.(map[string]any)
		return isMap
	case []any:
		_, isList := owned.([]any)
		return isList && s != nil && s.kind == list && len(s.list.keys) > 0
	default:
		return false
	}
}

func isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	default:
		return false
	}
}
