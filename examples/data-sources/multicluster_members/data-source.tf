# What all members of the provider have room for, seen live. It refers to no resource, so that it is read at plan.
data "multicluster_members" "all" {}

resource "multicluster_member" "fleet" {
  for_each = toset(["kube02", "kube03"])
  name     = each.key
}

# Replicas go to the members in proportion to what they have room for.
resource "multicluster_propagation" "demoapp" {
  name      = "demoapp"
  members   = values(multicluster_member.fleet)
  templates = [file("demoapp.yaml")]
  policies  = [file("policy.yaml")]
  observed  = data.multicluster_members.all.members
}

# Members that could not be seen, and why.
output "unseen" {
  value = { for name, seen in data.multicluster_members.all.members : name => seen.reason if seen.reason != null }
}
