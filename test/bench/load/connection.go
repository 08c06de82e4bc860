package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"
)

// headSize is how much of an answer is kept until the next one.
const headSize = 4096

// patience is how long an answer may take: a server that is asked more than it can do is slow, and that is a figure.
const patience = 10 * time.Minute

// connection asks for one thing after the other.
type connection struct {
	base   string
	header http.Header
	client *http.Client
	room   []byte
	// head is how the last body began, as it came; isPacked whether that is gzip.
	head     []byte
	isPacked bool
	taken    []float64
	sizes    []int
}

// newClient makes so many connections at most, as they are needed, and keeps them.
func newClient(connections int) *http.Client {
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{InsecureSkipVerify: true}, // servers of benchmarks have certificates of their own
		MaxConnsPerHost:     connections,
		DisableCompression:  true, // what is asked for is in the headers
		ReadBufferSize:      64 << 10,
		MaxIdleConnsPerHost: connections,
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       patience,
	}
}

// newConnection asks by a client that others may ask by as well.
func newConnection(base string, headers map[string]string, client *http.Client) *connection {
	header := http.Header{}
	for name, value := range headers {
		header.Set(name, value)
	}
	return &connection{base: base, header: header, client: client, room: make([]byte, 256<<10)}
}

// get asks for a path, reads the answer to its end and notes the time and the size.
func (c *connection) get(path string) error {
	return c.getSince(time.Now(), path)
}

// getSince is get for what should have been asked for at begin: the time counts from there.
func (c *connection) getSince(begin time.Time, path string) error {
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
	c.isPacked = answer.Header.Get("Content-Encoding") == "gzip"
	size, err := c.drain(answer.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	c.taken = append(c.taken, milliseconds(time.Since(begin)))
	c.sizes = append(c.sizes, size)
	return nil
}

// drain reads a body to its end; its beginning stays in the head.
func (c *connection) drain(body io.Reader) (int, error) {
	size, kept := 0, 0
	for {
		n, err := body.Read(c.room[kept:])
		size += n
		kept = min(kept+n, headSize)
		if err != nil {
			c.head = c.room[:kept]
			return size, unlessEnd(err)
		}
	}
}

func unlessEnd(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func milliseconds(d time.Duration) float64 {
	return float64(d) / float64(time.Millisecond)
}
