# A newer image on kube03.
resource "multicluster_override_policy" "demoapp" {
  name               = "demoapp"
  resource_selectors = [{ api_version = "apps/v1", kind = "Deployment", name = "demoapp" }]

  override_rules = [{
    target_cluster = { cluster_names = ["kube03"] }
    overriders     = { image = [{ component = "Tag", operator = "replace", value = "v1.1" }] }
  }]
}

# On every member, each value its own: {{ member... }} is filled in for the member.
resource "multicluster_override_policy" "identity" {
  name               = "identity"
  cluster_scoped     = true
  resource_selectors = [{ api_version = "apps/v1", kind = "Deployment" }]

  override_rules = [{
    overriders = {
      labels = [{ operator = "add", value = { region = "{{ member.region }}" } }]
      args   = [{ container_name = "agent", operator = "add", value = ["--cluster={{ member.name }}"] }]
      plaintext = [
        { path = "/spec/template/metadata/annotations", operator = "add", value = jsonencode({ role = "{{ member.variables[\"role\"] }}" }) },
        { path = "/spec/paused", operator = "add", value = false },
      ]
    }
  }]
}

# A setting inside a file that a ConfigMap holds.
resource "multicluster_override_policy" "settings" {
  name               = "settings"
  resource_selectors = [{ api_version = "v1", kind = "ConfigMap", name = "settings" }]

  override_rules = [{
    target_cluster = { label_selector = { match_labels = { env = "production" } } }
    overriders = {
      field = [{
        field_path = "/data/app.yaml"
        yaml       = [{ sub_path = "/log/level", operator = "replace", value = jsonencode("warn") }]
      }]
    }
  }]
}
