// Command peer measures controller-runtime at the same work as kopf-ts.
//
//	peer informer  --kubeconfig F --form typed|unstructured|metadata --n N [--marker NAME]
//	peer reconcile --kubeconfig F --ns NAMESPACE --n N --workers W
//	peer queue     --n N
//
// It prints one JSON line per event; the harness reads its cost from /proc. "digest" on standard input is answered with
// the SHA-256 over the sorted "namespace/name/resourceVersion" lines of the cache.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"sort"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: peer informer|reconcile|queue [flags]")
		os.Exit(2)
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "")
	ns := flags.String("ns", "", "namespace to watch")
	n := flags.Int("n", 1000, "objects")
	workers := flags.Int("workers", 10, "MaxConcurrentReconciles")
	form := flags.String("form", "typed", "typed|unstructured|metadata")
	marker := flags.String("marker", "", "label whose values are told as \"marker\" events")
	_ = flags.Parse(os.Args[2:])
	log.SetLogger(logr.Discard())
	if os.Args[1] == "queue" {
		queueMain(*n)
		return
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	check(err)
	cfg.QPS = -1 // no client-side limit: the peers have none either
	ctx := ctrl.SetupSignalHandler()
	switch os.Args[1] {
	case "informer":
		informerMain(ctx, cfg, *form, *n, *marker)
	case "reconcile":
		reconcileMain(ctx, cfg, *ns, *n, *workers)
	}
}

func emit(event string, fields map[string]any) {
	out := map[string]any{"event": event}
	for k, v := range fields {
		out[k] = v
	}
	line, _ := json.Marshal(out)
	fmt.Println(string(line))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func object(form string) client.Object {
	gvk := corev1.SchemeGroupVersion.WithKind("Pod")
	switch form {
	case "typed":
		return &corev1.Pod{}
	case "metadata":
		m := &metav1.PartialObjectMetadata{}
		m.SetGroupVersionKind(gvk)
		return m
	default:
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(gvk)
		return u
	}
}

func informerMain(ctx context.Context, cfg *rest.Config, form string, n int, marker string) {
	c, err := cache.New(cfg, cache.Options{})
	check(err)
	inf, err := c.GetInformer(ctx, object(form), cache.BlockUntilSynced(false))
	check(err)
	var events atomic.Int64
	told := func(obj any) {
		events.Add(1)
		if o, ok := obj.(client.Object); ok && marker != "" {
			if v := o.GetLabels()[marker]; v != "" {
				emit("marker", map[string]any{"value": v, "events": events.Load()})
			}
		}
	}
	reg, err := inf.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    told,
		UpdateFunc: func(_, obj any) { told(obj) },
		DeleteFunc: told,
	})
	check(err)
	go func() { _ = c.Start(ctx) }()
	for !reg.HasSynced() {
		time.Sleep(time.Millisecond)
	}
	emit("synced", map[string]any{"objects": events.Load()})
	answerDigests(inf)
	<-ctx.Done()
}

func answerDigests(inf cache.Informer) {
	shared, ok := inf.(toolscache.SharedIndexInformer)
	if !ok {
		return
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var lines []string
		for _, item := range shared.GetStore().List() {
			o := item.(client.Object)
			lines = append(lines, o.GetNamespace()+"/"+o.GetName()+"/"+o.GetResourceVersion())
		}
		sort.Strings(lines)
		sum := sha256.New()
		for _, line := range lines {
			sum.Write([]byte(line + "\n"))
		}
		emit("digest", map[string]any{"digest": hex.EncodeToString(sum.Sum(nil)), "objects": len(lines)})
	}
}

// queueMain adds n keys, takes each and marks it done, as BenchmarkAddGetDone of controller-runtime does. Its metrics are on, as they are in
// every manager.
func queueMain(n int) {
	q := priorityqueue.New[string]("bench")
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("team-%d/app-%d", i%5000, i)
	}
	start := time.Now()
	for _, key := range keys {
		q.Add(key)
	}
	for range keys {
		key, _ := q.Get()
		q.Done(key)
	}
	emit("done", map[string]any{"seconds": time.Since(start).Seconds(), "n": n})
	_, _ = io.Copy(io.Discard, os.Stdin) // the harness reads what this cost before it ends it
	q.ShutDown()
}
