package main

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Widget is the custom resource of the scenario, typed as operators on controller-runtime have theirs.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WidgetSpec   `json:"spec,omitempty"`
	Status            WidgetStatus `json:"status,omitempty"`
}

// WidgetSpec is what a Widget is created with.
type WidgetSpec struct {
	Size int `json:"size,omitempty"`
}

// WidgetStatus is what the reconciler writes.
type WidgetStatus struct {
	Done bool   `json:"done,omitempty"`
	At   string `json:"at,omitempty"`
}

// WidgetList is a list of them.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

// DeepCopyObject is what controller-gen would write.
func (w *Widget) DeepCopyObject() runtime.Object {
	out := w.copied()
	return &out
}

// DeepCopyObject is what controller-gen would write.
func (l *WidgetList) DeepCopyObject() runtime.Object {
	out := WidgetList{TypeMeta: l.TypeMeta, Items: make([]Widget, len(l.Items))}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		out.Items[i] = l.Items[i].copied()
	}
	return &out
}

func (w *Widget) copied() Widget {
	out := *w
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return out
}

func widgetScheme() *runtime.Scheme {
	version := schema.GroupVersion{Group: "bench.drover.dev", Version: "v1"}
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(version, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, version)
	return scheme
}

// reconcileMain runs a manager, with the metrics it always keeps, and one controller that patches the status of every Widget once.
func reconcileMain(ctx context.Context, cfg *rest.Config, ns string, n, workers int) {
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:                 widgetScheme(),
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		Cache:                  cache.Options{DefaultNamespaces: map[string]cache.Config{ns: {}}},
	})
	check(err)
	var patched atomic.Int64
	r := reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		var widget Widget
		if err := mgr.GetClient().Get(ctx, req.NamespacedName, &widget); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		if widget.Status.Done {
			return reconcile.Result{}, nil
		}
		at := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
		body, err := json.Marshal(map[string]any{"status": WidgetStatus{Done: true, At: at}})
		if err != nil {
			return reconcile.Result{}, err
		}
		patch := client.RawPatch("application/merge-patch+json", body)
		if err := mgr.GetClient().Status().Patch(ctx, &widget, patch); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		if patched.Add(1) == int64(n) {
			emit("done", map[string]any{"n": n})
		}
		return reconcile.Result{}, nil
	})
	check(ctrl.NewControllerManagedBy(mgr).Named("bench").For(&Widget{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).Complete(r))
	check(mgr.Start(ctx))
}
