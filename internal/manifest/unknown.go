package manifest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/multicluster/terraform-provider-multicluster/internal/spelling"
)

func unknownField(name string, s *shape) error {
	if meant := spelling.Nearest(name, slices.Collect(maps.Keys(s.fields))); meant != "" {
		return fmt.Errorf("%w; did you mean %s?", errUnknownField, meant)
	}
	return fmt.Errorf("%w; remove it, or look up where the API has it", errUnknownField)
}
