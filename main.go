// Command terraform-provider-multicluster is a Terraform provider that brings Karmada's multi-cluster propagation to
// Terraform, with no control plane.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/multicluster/terraform-provider-multicluster/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "run under a debugger such as delve, and print how to attach Terraform to it")
	flag.Parse()

	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/multicluster/multicluster",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
