package api

import (
	"cmp"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SetDefaults brings a new cluster into the form Karmada 1.19 stores: the deprecated zone becomes the only one of zones,
// NoExecute taints without a time are added now, and resource models cover everything from 0 up.
func (c *Cluster) SetDefaults(now metav1.Time) {
	if c.Spec.Zone != "" && len(c.Spec.Zones) == 0 {
		c.Spec.Zones = []string{c.Spec.Zone}
		c.Spec.Zone = ""
	}
	for i := range c.Spec.Taints {
		if t := &c.Spec.Taints[i]; t.Effect == corev1.TaintEffectNoExecute && t.TimeAdded == nil {
			t.TimeAdded = now.DeepCopy()
		}
	}
	if len(c.Spec.ResourceModels) == 0 {
		c.Spec.ResourceModels = defaultResourceModels()
		return
	}
	standardiseModels(c.Spec.ResourceModels)
}

// standardiseModels sorts models by grade and opens the first downwards and the last upwards.
func standardiseModels(models []ResourceModel) {
	slices.SortStableFunc(models, func(a, b ResourceModel) int { return cmp.Compare(a.Grade, b.Grade) })
	first, last := models[0].Ranges, models[len(models)-1].Ranges
	for i := range first {
		first[i].Min.Set(0)
	}
	for i := range last {
		last[i].Max.Set(math.MaxInt64)
	}
}

// defaultResourceModels returns the nine grades of nodes by which Karmada 1.19 counts the capacity of a cluster that
// declares no models of its own.
func defaultResourceModels() []ResourceModel {
	const gib = 1 << 30
	cores := []int64{0, 1, 2, 4, 8, 16, 32, 64, 128, math.MaxInt64}
	memory := []int64{0, 4 * gib, 16 * gib, 32 * gib, 64 * gib, 128 * gib, 256 * gib, 512 * gib, 1024 * gib, math.MaxInt64}

	models := make([]ResourceModel, len(cores)-1)
	for i := range models {
		models[i] = ResourceModel{Grade: uint(i), Ranges: []ResourceModelRange{
			{
				Name: corev1.ResourceCPU,
				Min:  *resource.NewQuantity(cores[i], resource.DecimalSI),
				Max:  *resource.NewQuantity(cores[i+1], resource.DecimalSI),
			},
			{
				Name: corev1.ResourceMemory,
				Min:  *resource.NewQuantity(memory[i], resource.BinarySI),
				Max:  *resource.NewQuantity(memory[i+1], resource.BinarySI),
			},
		}}
	}
	return models
}
