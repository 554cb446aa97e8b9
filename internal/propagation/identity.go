package propagation

import (
	"fmt"
	"maps"
	"slices"
)

// CheckIdentities compares the identities of clusters with those they had, and with each other. It returns, by member, why
// it must not be written to: another cluster answers under its name and its generation was not raised, or the same
// cluster answers under another name too.
func CheckIdentities(identities map[string]string, record *Record, planned Works) map[string]string {
	problems := map[string]string{}
	owners := map[string]string{}
	for name, m := range record.Members {
		if _, asked := identities[name]; !asked && m.UID != "" {
			owners[m.UID] = name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(identities)) {
		uid := identities[name]
		if problem := identityProblem(name, uid, record.Members[name], planned[name]); problem != "" {
			problems[name] = problem
			continue
		}
		if other, taken := owners[uid]; taken {
			problems[name] = fmt.Sprintf("Member %s and member %s are one cluster (%s), so each would undo what the other does. "+
				"Give each member a connection of its own, or remove one of them.", name, other, uid)
			continue
		}
		owners[uid] = name
	}
	return problems
}

func identityProblem(name, uid string, m *MemberRecord, planned Objects) string {
	if m == nil || m.UID == "" || m.UID == uid || planned.generation() > max(m.Generation, 1) {
		return ""
	}
	return fmt.Sprintf("Member %s answers as cluster %s, and so far it was cluster %s. Nothing is written to it. If the cluster was replaced on purpose, "+
		"set generation = %d on the member: what the old cluster held then counts as gone. Otherwise mend its connection.",
		name, uid, m.UID, max(m.Generation, 1)+1)
}
