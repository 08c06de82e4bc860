package main

import (
	"fmt"
	"sync"
	"time"
)

// rate asks so often per second, whether answers come or not. Times count from when a request was due: what has to wait for a connection waits in the figure.
type rate struct {
	Headers map[string]string `json:"headers"`
	// Paths are asked for once each; the first also before it counts.
	Paths       []string `json:"paths"`
	PerSecond   float64  `json:"perSecond"`
	Connections int      `json:"connections"`
}

func (r rate) send(asked order) (connections []*connection, begin time.Time, err error) {
	if r.Connections < 1 || len(r.Paths) == 0 || r.PerSecond <= 0 {
		return nil, begin, fmt.Errorf("a rate is for paths, on connections")
	}
	client := newClient(r.Connections)
	free := make(chan *connection, r.Connections)
	for range r.Connections {
		c := newConnection(asked.Base, r.Headers, client)
		connections = append(connections, c)
		free <- c
	}
	first := connections[0]
	if err := first.get(r.Paths[0]); err != nil {
		return nil, begin, err
	}
	first.taken, first.sizes = first.taken[:0], first.sizes[:0]

	begin = time.Now()
	var group sync.WaitGroup
	failed := make(chan error, len(r.Paths))
	for i, path := range r.Paths {
		due := begin.Add(time.Duration(float64(i) / r.PerSecond * float64(time.Second)))
		time.Sleep(time.Until(due))
		c := <-free
		if len(failed) > 0 {
			break
		}
		group.Go(func() {
			if err := c.getSince(due, path); err != nil {
				failed <- err
			}
			free <- c
		})
	}
	group.Wait()
	close(failed)
	return connections, begin, <-failed
}
