package api

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestClusterAffinityMatches(t *testing.T) {
	cluster := &Cluster{
		ObjectMeta: metav1.ObjectMeta{Name: "kube02", Labels: map[string]string{"env": "prod"}},
		Spec:       ClusterSpec{Region: "eu", Zones: []string{"eu-a", "eu-b"}},
	}
	field := func(key string, op corev1.NodeSelectorOperator, values ...string) *ClusterAffinity {
		return &ClusterAffinity{FieldSelector: &FieldSelector{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: key, Operator: op, Values: values},
		}}}
	}
	byLabel := func(key, value string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
	}
	tests := map[string]struct {
		affinity *ClusterAffinity
		want     bool
	}{
		"nil":                      {nil, true},
		"empty":                    {&ClusterAffinity{}, true},
		"named":                    {&ClusterAffinity{ClusterNames: []string{"kube01", "kube02"}}, true},
		"not named":                {&ClusterAffinity{ClusterNames: []string{"kube01"}}, false},
		"excluded though named":    {&ClusterAffinity{ClusterNames: []string{"kube02"}, ExcludeClusters: []string{"kube02"}}, false},
		"another is excluded":      {&ClusterAffinity{ExcludeClusters: []string{"kube01"}}, true},
		"label":                    {&ClusterAffinity{LabelSelector: byLabel("env", "prod")}, true},
		"other label":              {&ClusterAffinity{LabelSelector: byLabel("env", "dev")}, false},
		"label, but not named":     {&ClusterAffinity{LabelSelector: byLabel("env", "prod"), ClusterNames: []string{"kube01"}}, false},
		"empty label selector":     {&ClusterAffinity{LabelSelector: &metav1.LabelSelector{}}, true},
		"invalid label selector":   {&ClusterAffinity{LabelSelector: byLabel("env", "not a value")}, false},
		"region":                   {field(FieldRegion, corev1.NodeSelectorOpIn, "eu", "us"), true},
		"region elsewhere":         {field(FieldRegion, corev1.NodeSelectorOpIn, "us"), false},
		"region exists":            {field(FieldRegion, corev1.NodeSelectorOpExists), true},
		"provider unset, in":       {field(FieldProvider, corev1.NodeSelectorOpIn, "aws"), false},
		"provider unset, not in":   {field(FieldProvider, corev1.NodeSelectorOpNotIn, "aws"), true},
		"provider does not exist":  {field(FieldProvider, corev1.NodeSelectorOpDoesNotExist), true},
		"any zone listed":          {field(FieldZone, corev1.NodeSelectorOpIn, "eu-b", "eu-c"), true},
		"no zone listed":           {field(FieldZone, corev1.NodeSelectorOpIn, "eu-c"), false},
		"zone not in, one listed":  {field(FieldZone, corev1.NodeSelectorOpNotIn, "eu-a"), false},
		"zone not in, none listed": {field(FieldZone, corev1.NodeSelectorOpNotIn, "eu-c"), true},
		"zone exists":              {field(FieldZone, corev1.NodeSelectorOpExists), true},
		"zone does not exist":      {field(FieldZone, corev1.NodeSelectorOpDoesNotExist), false},
		"zone with an odd operator": {
			field(FieldZone, corev1.NodeSelectorOpGt, "1"), false,
		},
		"in without values":       {field(FieldRegion, corev1.NodeSelectorOpIn), false},
		"unknown operator":        {field(FieldRegion, "Near", "eu"), false},
		"empty field selector":    {&ClusterAffinity{FieldSelector: &FieldSelector{}}, true},
		"unknown key never is in": {field("name", corev1.NodeSelectorOpIn, "kube02"), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tt.affinity.Matches(cluster); got != tt.want {
				t.Errorf("Matches() = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestResourceSelectorSpecificity(t *testing.T) {
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"namespace": "shop", "name": "web", "labels": map[string]any{"app": "web"}},
	}}
	web := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	api := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "api"}}
	tests := map[string]struct {
		edit func(*ResourceSelector)
		want Specificity
	}{
		"kind only":            {func(*ResourceSelector) {}, MatchesAll},
		"other version":        {func(s *ResourceSelector) { s.APIVersion = "apps/v1beta1" }, NoMatch},
		"other kind":           {func(s *ResourceSelector) { s.Kind = "StatefulSet" }, NoMatch},
		"namespace":            {func(s *ResourceSelector) { s.Namespace = "shop" }, MatchesAll},
		"other namespace":      {func(s *ResourceSelector) { s.Namespace = "bank" }, NoMatch},
		"name":                 {func(s *ResourceSelector) { s.Name = "web" }, MatchesByName},
		"other name":           {func(s *ResourceSelector) { s.Name = "api" }, NoMatch},
		"name, labels ignored": {func(s *ResourceSelector) { s.Name, s.LabelSelector = "web", api }, MatchesByName},
		"labels":               {func(s *ResourceSelector) { s.LabelSelector = web }, MatchesByLabel},
		"other labels":         {func(s *ResourceSelector) { s.LabelSelector = api }, NoMatch},
		"empty label selector": {func(s *ResourceSelector) { s.LabelSelector = &metav1.LabelSelector{} }, MatchesByLabel},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := ResourceSelector{APIVersion: "apps/v1", Kind: "Deployment"}
			tt.edit(&s)
			if got := s.Specificity(obj); got != tt.want {
				t.Errorf("Specificity() = %v, want %v", got, tt.want)
			}
		})
	}
	t.Run("the most specific of several counts", func(t *testing.T) {
		all := ResourceSelector{APIVersion: "apps/v1", Kind: "Deployment"}
		named := all
		named.Name = "web"
		if got := MostSpecific([]ResourceSelector{named, all}, obj); got != MatchesByName {
			t.Errorf("MostSpecific() = %v, want %v", got, MatchesByName)
		}
		if got := MostSpecific(nil, obj); got != NoMatch {
			t.Errorf("MostSpecific(nil) = %v, want %v", got, NoMatch)
		}
	})
}
