package api

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestMismatch(t *testing.T) {
	member := &Cluster{ObjectMeta: metav1.ObjectMeta{Name: "kube02", Labels: map[string]string{"env": "prod"}}}
	member.Spec.Region, member.Spec.Zones = "eu", []string{"eu-a", "eu-b"}
	labels := func(key, value string) ClusterAffinity {
		return ClusterAffinity{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}}
	}
	expression := func(key string, operator metav1.LabelSelectorOperator, values ...string) ClusterAffinity {
		return ClusterAffinity{LabelSelector: &metav1.LabelSelector{
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}},
		}}
	}
	fields := func(key string, values ...string) ClusterAffinity {
		return ClusterAffinity{FieldSelector: &FieldSelector{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: FieldRegion, Operator: corev1.NodeSelectorOpIn, Values: []string{"eu"}}, {Key: key, Operator: corev1.NodeSelectorOpIn, Values: values},
		}}}
	}
	for name, test := range map[string]struct {
		affinity ClusterAffinity
		want     Mismatch
	}{
		"it matches":         {labels("env", "prod"), Mismatch{}},
		"not named":          {ClusterAffinity{ClusterNames: []string{"kube03"}}, Mismatch{Requirement: "not in clusterNames"}},
		"excluded":           {ClusterAffinity{ExcludeClusters: []string{"kube02"}}, Mismatch{Requirement: "in exclude"}},
		"another value":      {labels("env", "dev"), Mismatch{"label env=dev", "prod"}},
		"a misspelt key":     {labels("envi", "prod"), Mismatch{"label envi=prod", "env=prod"}},
		"a key nobody has":   {labels("tier", "gold"), Mismatch{"label tier=gold", "none"}},
		"not in":             {expression("env", metav1.LabelSelectorOpNotIn, "prod"), Mismatch{"label env notin (prod)", "prod"}},
		"does not exist":     {expression("env", metav1.LabelSelectorOpDoesNotExist), Mismatch{"label !env", "prod"}},
		"an invalid label":   {labels("env", "not a value"), Mismatch{Requirement: `labelSelector cannot be evaluated: values[0][env]: Invalid value: "not a value": `}},
		"a region":           {fields(FieldRegion, "bejing"), Mismatch{"region in (bejing)", "eu"}},
		"a zone":             {fields(FieldZone, "eu-c"), Mismatch{"zone in (eu-c)", "eu-a/eu-b"}},
		"a provider":         {fields(FieldProvider, "aws"), Mismatch{"provider in (aws)", "none"}},
		"an invalid field":   {fields(FieldProvider), Mismatch{Requirement: "fieldSelector cannot be evaluated: "}},
		"all but the labels": {ClusterAffinity{ClusterNames: []string{"kube02"}, LabelSelector: labels("env", "dev").LabelSelector}, Mismatch{"label env=dev", "prod"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.affinity.Mismatch(member)
			if n := len(test.want.Requirement); n > 0 && len(got.Requirement) > n && test.want.Requirement[n-1] == ' ' {
				got.Requirement = got.Requirement[:n] // the rest is the library's
			}
			if got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
