# Three quarters of the replicas on kube02, one quarter on kube03. What the Deployment refers to goes along.
resource "multicluster_propagation_policy" "demoapp" {
  name               = "demoapp"
  resource_selectors = [{ api_version = "apps/v1", kind = "Deployment", name = "demoapp" }]
  propagate_deps     = true

  placement = {
    replica_scheduling = {
      replica_scheduling_type     = "Divided"
      replica_division_preference = "Weighted"
      weight_preference = {
        static_weight_list = [
          { target_cluster = { cluster_names = ["kube02"] }, weight = 3 },
          { target_cluster = { cluster_names = ["kube03"] }, weight = 1 },
        ]
      }
    }
  }
}

# For every Deployment of every namespace that has no policy of its own: two regions, one member in each.
resource "multicluster_propagation_policy" "everything" {
  name               = "everything"
  cluster_scoped     = true
  resource_selectors = [{ api_version = "apps/v1", kind = "Deployment" }]

  placement = {
    cluster_affinity = { label_selector = { match_labels = { env = "production" } } }
    spread_constraints = [
      { spread_by_field = "region", min_groups = 2, max_groups = 2 },
      { spread_by_field = "cluster", min_groups = 2, max_groups = 2 },
    ]
  }
}

# The first group that can take it. Seconds of tolerations and failover are checked and rendered; nothing acts on them yet.
resource "multicluster_propagation_policy" "shop" {
  name               = "shop"
  namespace          = "shop"
  resource_selectors = [{ api_version = "apps/v1", kind = "Deployment", label_selector = { match_labels = { app = "shop" } } }]
  propagate_deps     = true

  placement = {
    cluster_affinities = [
      { affinity_name = "at-home", field_selector = { match_expressions = [{ key = "region", operator = "In", values = ["cn-north"] }] } },
      { affinity_name = "elsewhere", exclude = ["kube04"] },
    ]
    cluster_tolerations = [
      for taint in ["not-ready", "unreachable"] :
      { key = "cluster.karmada.io/${taint}", operator = "Exists", effect = "NoExecute", toleration_seconds = 60 }
    ]
  }

  failover = {
    application = {
      decision_conditions  = { toleration_seconds = 120 }
      purge_mode           = "Gracefully"
      grace_period_seconds = 300
    }
  }
}

# A policy as Karmada writes it, checked.
resource "multicluster_propagation_policy" "web" {
  manifest = file("policy.yaml")
}

# Pass them to a propagation: policies = [multicluster_propagation_policy.demoapp.manifest, ...]
