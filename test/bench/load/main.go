// Command load sends requests to an HTTPS server, one after the other on each of so many connections or at a rate, and prints how long each took.
//
// It reads one line of JSON, an order, and writes one, what it found. It computes on one core, keeps nothing of what it reads but the beginning, and makes
// next to no garbage: what the load does is part of every figure. It exits with 1, and says why, when an answer is no 200: a wrong answer is not fast.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// order is what is to be sent: paths, a rate, or walks.
type order struct {
	// Base is `https://host:port`.
	Base string `json:"base"`
	// Time is in milliseconds; paths and walks end after that at the latest, a rate when it has asked for all.
	Time  float64 `json:"time"`
	Paths *paths  `json:"paths"`
	Rate  *rate   `json:"rate"`
	Walks *walks  `json:"walks"`
}

// paths are asked for by everybody alike.
type paths struct {
	Headers map[string]string `json:"headers"`
	// Paths are asked for in turn, from the first again after the last.
	Paths       []string `json:"paths"`
	Connections int      `json:"connections"`
	// It ends after so many requests; first answers of connections come before, for the first paths, and do not count.
	Requests int64 `json:"requests"`
}

// found is what came of it; times in milliseconds.
type found struct {
	Taken []float64 `json:"taken"`
	// Sizes are bytes of bodies as they came, in the order of Taken.
	Sizes []int   `json:"sizes"`
	Wall  float64 `json:"wall"`
}

func main() {
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(1000)
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var asked order
	if err := json.NewDecoder(in).Decode(&asked); err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	connections, begin, err := asked.send()
	if err != nil {
		return err
	}
	answer := found{Taken: []float64{}, Sizes: []int{}, Wall: milliseconds(time.Since(begin))}
	for _, c := range connections {
		answer.Taken = append(answer.Taken, c.taken...)
		answer.Sizes = append(answer.Sizes, c.sizes...)
	}
	return json.NewEncoder(out).Encode(answer)
}

// send does what is asked for; begin is when it began to count.
func (o order) send() (connections []*connection, begin time.Time, err error) {
	switch {
	case o.Paths != nil:
		return o.Paths.send(o)
	case o.Rate != nil:
		return o.Rate.send(o)
	case o.Walks != nil:
		return o.Walks.send(o)
	}
	return nil, begin, fmt.Errorf("an order has paths, a rate or walks")
}

func (o order) end(begin time.Time) time.Time {
	return begin.Add(time.Duration(o.Time * float64(time.Millisecond)))
}

func (p paths) send(asked order) (connections []*connection, begin time.Time, err error) {
	if p.Connections < 1 || len(p.Paths) == 0 {
		return nil, begin, fmt.Errorf("paths are asked for on connections")
	}
	connections = make([]*connection, p.Connections)
	for i := range connections {
		connections[i] = newConnection(asked.Base, p.Headers, newClient(1))
	}
	if err := each(connections, func(i int, c *connection) error { return c.get(p.Paths[i%len(p.Paths)]) }); err != nil {
		return nil, begin, err
	}
	for _, c := range connections {
		c.taken, c.sizes = c.taken[:0], c.sizes[:0]
	}

	var next atomic.Int64
	begin = time.Now()
	end := asked.end(begin)
	err = each(connections, func(_ int, c *connection) error {
		for time.Now().Before(end) {
			index := next.Add(1) - 1
			if index >= p.Requests {
				return nil
			}
			if err := c.get(p.Paths[(int64(p.Connections)+index)%int64(len(p.Paths))]); err != nil {
				return err
			}
		}
		return nil
	})
	return connections, begin, err
}

// each does something with all connections at once and returns the first error.
func each(connections []*connection, do func(int, *connection) error) error {
	var group sync.WaitGroup
	errs := make([]error, len(connections))
	for i, c := range connections {
		group.Go(func() { errs[i] = do(i, c) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
