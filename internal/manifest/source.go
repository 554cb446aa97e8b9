package manifest

import "fmt"

// Source says where a document was written: the argument of the resource, the
// element of that argument and the document within the element. Both numbers
// count from 0, as Terraform does for list elements; String shows the document
// counted from 1, as people count documents.
type Source struct {
	Argument string
	Index    int
	Document int
}

// String returns the source as "templates[0], document 2".
func (s Source) String() string {
	return fmt.Sprintf("%s[%d], document %d", s.Argument, s.Index, s.Document+1)
}
