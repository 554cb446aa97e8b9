package interpreter

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

var networkingKinds = table{
	of("networking.k8s.io/v1", "Ingress"): {
		healthy:      hasAddress,
		dependencies: ingressDependencies,
		aggregate:    aggregateIngress,
	},
	of("multicluster.x-k8s.io/v1alpha1", "ServiceImport"): {dependencies: serviceImportDependencies},
}

// hasAddress reports whether a load balancer has been assigned.
func hasAddress(f *fields) bool {
	return slices.ContainsFunc(f.objects("status", "loadBalancer", "ingress"), func(ingress map[string]any) bool {
		address := fields{content: ingress}
		return address.text("hostname") != "" || address.text("ip") != ""
	})
}

// ingressDependencies are the certificates, one for each entry that names one.
func ingressDependencies(f *fields) []Reference {
	var dependencies []Reference
	for i, tls := range f.objects("spec", "tls") {
		secret, _ := tls["secretName"].(string)
		if secret == "" {
			f.err = cmp.Or(f.err, fmt.Errorf("spec.tls[%d]: secretName %w", i, ErrNameless))
			continue
		}
		dependencies = append(dependencies, Reference{APIVersion: "v1", Kind: "Secret", Namespace: f.text("metadata", "namespace"), Name: secret})
	}
	return dependencies
}

// serviceImportDependencies are the Service that stands for the imported one, and its endpoints.
func serviceImportDependencies(f *fields) []Reference {
	namespace, derived := f.text("metadata", "namespace"), "derived-"+f.text("metadata", "name")
	return []Reference{
		{
			APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice", Namespace: namespace,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/service-name": derived}},
		},
		{APIVersion: "v1", Kind: "Service", Namespace: namespace, Name: derived},
	}
}

// aggregateIngress is the union of the load balancers of an Ingress or a Service.
func aggregateIngress(template *fields, members []member) map[string]any {
	var all []corev1.LoadBalancerIngress
	for _, m := range members {
		if balancer := decode[corev1.LoadBalancerStatus](m.fields, path("status.loadBalancer")); balancer != nil {
			all = append(all, balancer.Ingress...)
		}
	}
	union, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&corev1.LoadBalancerStatus{Ingress: mergeAddresses(all)})
	if err != nil && template.err == nil {
		template.err = fmt.Errorf("cannot join the load balancers: %w", err)
	}
	return map[string]any{"loadBalancer": union}
}

// mergeAddresses returns each address once, with the ports of all its occurrences, in a fixed order: host names before
// IPs, an unset mode last.
func mergeAddresses(all []corev1.LoadBalancerIngress) []corev1.LoadBalancerIngress {
	slices.SortStableFunc(all, compareAddress)
	var merged []corev1.LoadBalancerIngress
	for _, address := range all {
		if last := len(merged) - 1; last >= 0 && compareAddress(merged[last], address) == 0 {
			merged[last].Ports = append(merged[last].Ports, address.Ports...)
		} else {
			merged = append(merged, address)
		}
	}
	for i := range merged {
		slices.SortFunc(merged[i].Ports, comparePort)
		merged[i].Ports = slices.CompactFunc(merged[i].Ports, func(a, b corev1.PortStatus) bool { return comparePort(a, b) == 0 })
	}
	return merged
}

func compareAddress(a, b corev1.LoadBalancerIngress) int {
	return cmp.Or(
		emptyLast(a.Hostname, b.Hostname),
		cmp.Compare(a.IP, b.IP),
		emptyLast(ipMode(a), ipMode(b)),
	)
}

func comparePort(a, b corev1.PortStatus) int {
	return cmp.Or(
		cmp.Compare(a.Port, b.Port),
		cmp.Compare(a.Protocol, b.Protocol),
		cmp.Compare(portError(a), portError(b)),
	)
}

func emptyLast(a, b string) int {
	if (a == "") != (b == "") {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}

func ipMode(address corev1.LoadBalancerIngress) string {
	if address.IPMode == nil {
		return ""
	}
	return string(*address.IPMode)
}

func portError(port corev1.PortStatus) string {
	if port.Error == nil {
		return ""
	}
	return *port.Error
}
