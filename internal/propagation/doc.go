// Package propagation composes the pure packages: templates, policies, members and what was placed before go in;
// placements and the works of each member come out. It also says what of the works changed, what Read should show, and
// what has to be remembered beside the state. It knows neither Terraform nor the network.
//
// The flow is one function per step: Compute (template, policy, placement, override, work), Plan (what the state will
// show), Changes (what one member must be sent), Settle (what became of it) and Refresh (what is live).
package propagation
