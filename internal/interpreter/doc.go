// Package interpreter holds what is known of each kind of object: its replicas and what they need, how to set them,
// whether it is healthy, what it depends on, and how its status is collected and summed up over members.
//
// It works on unstructured objects, never changes its input and knows neither the network nor Terraform.
package interpreter
