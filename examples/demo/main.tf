# Three applications on three clusters: the same everywhere, different on one, and divided among two.
# "make demo" shows this configuration at work; "make fleet" starts clusters to apply it to by hand.

terraform {
  required_version = ">= 1.11"

  required_providers {
    multicluster = { source = "multicluster/multicluster" }
  }
}

variable "kubeconfig" {
  description = "Path of a kubeconfig with the contexts kube02, kube03 and kube04."
  type        = string
}

locals {
  regions = {
    kube02 = "beijing"
    kube03 = "shanghai"
    kube04 = "guangzhou"
  }
}

provider "multicluster" {
  members = {
    for name in keys(local.regions) : name => { kubeconfig_path = var.kubeconfig, context = name }
  }
}

resource "multicluster_member" "fleet" {
  for_each = local.regions

  name   = each.key
  region = each.value
}

# Four replicas on every cluster.
resource "multicluster_propagation" "minimal" {
  name      = "minimal"
  members   = values(multicluster_member.fleet)
  templates = [file("${path.module}/minimal/deployment.yaml")]
  policies  = [file("${path.module}/minimal/policy.yaml")]
}

# Another image on kube03.
resource "multicluster_propagation" "differences" {
  name      = "differences"
  members   = values(multicluster_member.fleet)
  templates = [file("${path.module}/differences/deployment.yaml")]
  policies = [
    file("${path.module}/differences/policy.yaml"),
    file("${path.module}/differences/override.yaml"),
  ]
}

# Four replicas in all: three on kube02, one on kube03.
resource "multicluster_propagation" "division" {
  name      = "division"
  members   = values(multicluster_member.fleet)
  templates = [file("${path.module}/division/deployment.yaml")]
  policies  = [file("${path.module}/division/policy.yaml")]
}
