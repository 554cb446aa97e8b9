package manifest

import "go.yaml.in/yaml/v3"

// lineOf returns the line of the value that steps lead to, or of the nearest
// value above it, counted from 1.
func lineOf(node *yaml.Node, steps []step) int {
	line := node.Line
	for _, s := range steps {
		child, at := childNode(dealias(node), s)
		if child == nil {
			break
		}
		node, line = child, at
	}
	return line
}

func childNode(node *yaml.Node, s step) (*yaml.Node, int) {
	if s.list {
		if node.Kind != yaml.SequenceNode || s.index >= len(node.Content) {
			return nil, 0
		}
		return node.Content[s.index], node.Content[s.index].Line
	}
	for i := 0; node.Kind == yaml.MappingNode && i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == s.name {
			return node.Content[i+1], node.Content[i].Line
		}
	}
	return nil, 0
}
