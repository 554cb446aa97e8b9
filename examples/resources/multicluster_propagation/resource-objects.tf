# Templates and policies in HCL. Values that are not known yet may stand in an object: where it goes is planned all the same.
resource "multicluster_propagation" "settings" {
  name      = "settings"
  namespace = "shop"
  members   = values(multicluster_member.fleet)
  policies  = [multicluster_propagation_policy.settings.manifest]

  templates = [
    { apiVersion = "v1", kind = "Namespace", metadata = { name = "shop" } },
    {
      apiVersion = "v1"
      kind       = "ConfigMap"
      metadata   = { name = "settings" }
      data       = { "queue.url" = terraform_data.queue.output }
    },
  ]

  # Every value of these is masked in plan and state.
  sensitive_templates = [{
    apiVersion = "v1"
    kind       = "ConfigMap"
    metadata   = { name = "accounts" }
    data       = { "users.txt" = "alice:swordfish" }
  }]

  timeouts = { create = "5m", update = "5m" }
}

resource "multicluster_propagation_policy" "settings" {
  name           = "settings"
  cluster_scoped = true
  resource_selectors = [
    { api_version = "v1", kind = "Namespace", name = "shop" },
    { api_version = "v1", kind = "ConfigMap", namespace = "shop" },
  ]
}

# Whatever is made in the same run, such as a queue.
resource "terraform_data" "queue" {
  input = "https://queue.example.com/settings"
}
