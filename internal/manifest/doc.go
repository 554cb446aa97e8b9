// Package manifest treats Kubernetes objects as values: it decodes and checks
// documents, names objects, fills the defaults placement depends on, prunes
// what a server adds, and flattens objects into fields that can be planned,
// compared and masked. It knows neither a network nor Terraform.
package manifest
