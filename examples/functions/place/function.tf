# Where everything goes and why, with no cluster: { kube02 = 3, kube03 = 1 } for the Deployment.
output "placements" {
  value = provider::multicluster::place(["kube02", "kube03"], file("demoapp.yaml"), file("policies.yaml"))
}
