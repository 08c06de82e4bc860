package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// parentVariable holds the process id of whoever started this process. A component that carries it ends
// with that process, even if it is killed and can no longer end its children itself. The signal is
// SIGKILL because all of them end at once, and a kube-apiserver without its etcd is slow to end in order.
const parentVariable = "DROVER_PARENT_PID"

// The kernel keeps the setting per thread and init runs on the main thread, which never ends before
// the process does.
func init() {
	value, set := os.LookupEnv(parentVariable)
	if !set {
		return
	}
	os.Unsetenv(parentVariable) // not meant for what this process starts in turn
	parent, err := strconv.Atoi(value)
	if err != nil {
		return
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0)
	if errno != 0 {
		fmt.Fprintln(os.Stderr, "controlplane: cannot tie this process to its parent:", errno)
	}
	if os.Getppid() != parent { // it ended before the line above took effect
		os.Exit(1)
	}
}
