# What "helm template" renders. Nothing runs hooks here, so they are left out.
resource "multicluster_propagation" "chart" {
  name       = "chart"
  members    = values(multicluster_member.fleet)
  templates  = [file("chart.yaml")]
  policies   = [file("chart-policies.yaml")]
  helm_hooks = "skip"

  # Others set these once the objects are there: an operator, and whoever rolls out images.
  ignore_fields = [
    "data[\"ca.crt\"]",
    "spec.template.spec.containers[name=web].image",
  ]

  # What is to be known of a custom resource, so that its replicas are divided like those of a Deployment.
  interpreters = [{
    api_version   = "example.com/v1"
    kind          = "Worker"
    replicas_path = "spec.replicas"
    healthy_when  = { condition = "Ready" }
  }]
}
