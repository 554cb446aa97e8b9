# { kube02 = 7, kube03 = 3 }
output "replicas" {
  value = provider::multicluster::divide(10, { kube02 = 3, kube03 = 1 })
}
