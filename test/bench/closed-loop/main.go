// Command closed-loop sends requests to an HTTPS server, one after the other on each of so many connections, and prints how long each took.
//
// It reads one line of JSON, an order, and writes one, what it found. It computes on one core, keeps nothing of what it reads and makes next to no
// garbage: what the load does is part of every figure. It exits with 1, and says why, when an answer is no 200: a wrong answer is not fast.
package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// order is what is to be sent.
type order struct {
	// Base is `https://host:port`.
	Base    string            `json:"base"`
	Headers map[string]string `json:"headers"`
	// Paths are asked for in turn, from the first again after the last.
	Paths       []string `json:"paths"`
	Connections int      `json:"connections"`
	// It ends after so many requests, or so many milliseconds, whatever comes first; first answers of connections come before and do not count.
	Requests int64   `json:"requests"`
	Time     float64 `json:"time"`
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
		fmt.Fprintln(os.Stderr, "closed-loop:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	var asked order
	if err := json.NewDecoder(in).Decode(&asked); err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	if asked.Connections < 1 || len(asked.Paths) == 0 {
		return fmt.Errorf("an order has connections and paths")
	}
	connections := make([]*connection, asked.Connections)
	for i := range connections {
		connections[i] = newConnection(asked)
	}
	if err := each(connections, func(i int, c *connection) error { return c.get(asked.Paths[i%len(asked.Paths)]) }); err != nil {
		return err
	}
	for _, c := range connections {
		c.taken, c.sizes = c.taken[:0], c.sizes[:0]
	}

	var next atomic.Int64
	begin := time.Now()
	end := begin.Add(time.Duration(asked.Time * float64(time.Millisecond)))
	err := each(connections, func(_ int, c *connection) error {
		for time.Now().Before(end) {
			index := next.Add(1) - 1
			if index >= asked.Requests {
				return nil
			}
			if err := c.get(asked.Paths[index%int64(len(asked.Paths))]); err != nil {
				return err
			}
		}
		return nil
	})
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

type connection struct {
	base   string
	header http.Header
	client http.Client
	room   []byte
	taken  []float64
	sizes  []int
}

func newConnection(asked order) *connection {
	header := http.Header{}
	for name, value := range asked.Headers {
		header.Set(name, value)
	}
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{InsecureSkipVerify: true}, // servers of benchmarks have certificates of their own
		MaxConnsPerHost:     1,
		DisableCompression:  true, // what is asked for is in the headers
		ReadBufferSize:      64 << 10,
		MaxIdleConnsPerHost: 1,
	}
	return &connection{
		base:   asked.Base,
		header: header,
		client: http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Timeout:       time.Minute,
		},
		room: make([]byte, 256<<10),
	}
}

// get asks for a path, reads the answer to its end and notes the time and the size.
func (c *connection) get(path string) error {
	begin := time.Now()
	request, err := http.NewRequest(http.MethodGet, c.base+path, nil)
	if err != nil {
		return err
	}
	request.Header = c.header
	answer, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", path, answer.StatusCode)
	}
	size, err := c.drain(answer.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	c.taken = append(c.taken, milliseconds(time.Since(begin)))
	c.sizes = append(c.sizes, size)
	return nil
}

func (c *connection) drain(body io.Reader) (int, error) {
	size := 0
	for {
		n, err := body.Read(c.room)
		size += n
		if err == io.EOF {
			return size, nil
		}
		if err != nil {
			return size, err
		}
	}
}

func milliseconds(d time.Duration) float64 {
	return float64(d) / float64(time.Millisecond)
}
