resource "multicluster_member" "fleet" {
  for_each = toset(["kube02", "kube03"])
  name     = each.key
}

# Three quarters of the replicas on kube02, one quarter on kube03, which runs a newer image.
resource "multicluster_propagation" "demoapp" {
  name      = "demoapp"
  members   = values(multicluster_member.fleet)
  templates = [file("demoapp.yaml")]
  policies  = [file("policies.yaml")]
}

# Why each object is where it is.
output "placements" {
  value = { for key, placement in multicluster_propagation.demoapp.placements : key => jsondecode(placement) }
}
