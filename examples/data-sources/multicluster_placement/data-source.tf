# What would happen if kube03 had room for a third of what kube02 has? Nothing is contacted or applied.
data "multicluster_placement" "what_if" {
  members   = [{ name = "kube02" }, { name = "kube03" }]
  templates = [file("demoapp.yaml")]
  policies  = [file("policy.yaml")]

  observed = {
    kube02 = { capacity = { allocatable = { pods = "90" } } }
    kube03 = { capacity = { allocatable = { pods = "30" } } }
  }
}

# { kube02 = 3, kube03 = 1 }
output "clusters" {
  value = data.multicluster_placement.what_if.placements["Deployment.apps/default/demoapp"].clusters
}
