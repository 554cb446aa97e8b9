resource "multicluster_template" "demoapp" {
  yaml = file("demoapp.yaml")
}

# Several propagations can use multicluster_template.demoapp.manifest in their templates.
