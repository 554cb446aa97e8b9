resource "multicluster_member" "fleet" {
  for_each = {
    kube02 = "cn-north"
    kube03 = "cn-east"
  }

  name   = each.key
  region = each.value
  labels = { env = "production" }
}

# Out of service for a while: what runs there keeps running, and nothing new comes.
resource "multicluster_member" "drained" {
  name          = "kube04"
  unschedulable = true

  # Three failed probes in a row before the member counts as unhealthy.
  probe = {
    timeout  = "5s"
    confirm  = "10s"
    interval = "5s"
  }
}
