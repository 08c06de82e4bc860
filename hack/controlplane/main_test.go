package main

import (
	"reflect"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		argv []string
		name string
		args []string
	}{
		{[]string{"/bin/controlplane", "etcd", "--version"}, "etcd", []string{"--version"}},
		{[]string{"/bin/kubectl", "get", "pods"}, "kubectl", []string{"get", "pods"}},
		{[]string{"kubectl", "etcd"}, "kubectl", []string{"etcd"}},
		{[]string{"/bin/controlplane"}, "", nil},
		{[]string{"/bin/controlplane", "kubelet"}, "kubelet", []string{}},
	} {
		name, args := split(c.argv)
		if name != c.name || !reflect.DeepEqual(args, c.args) {
			t.Errorf("split(%q) = %q, %q; want %q, %q", c.argv, name, args, c.name, c.args)
		}
	}
}
