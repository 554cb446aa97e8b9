terraform {
  required_version = ">= 1.11"
  required_providers {
    multicluster = {
      source = "multicluster/multicluster"
    }
  }
}

# Connections are given here and only here. They are evaluated anew on every run and never stored in state.
provider "multicluster" {
  members = {
    # A context of a kubeconfig.
    kube02 = {
      kubeconfig_path = "~/.kube/config"
      context         = "kube02"
    }

    # An address, and a command that prints credentials.
    kube03 = {
      host                   = "https://kube03.example.com"
      cluster_ca_certificate = file("kube03-ca.pem")
      exec = {
        api_version = "client.authentication.k8s.io/v1"
        command     = "aws"
        args        = ["eks", "get-token", "--cluster-name", "kube03"]
      }
    }

    # A cluster that is gone for good. Remove the entry after the next apply.
    kube01 = { retired = true }
  }

  # Added to every propagation.
  default_policies = [file("default-policy.yaml")]
}
