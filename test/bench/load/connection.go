package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"time"

	"github.com/valyala/fasthttp"
)

// headSize is how much of an answer is kept until the next one.
const headSize = 4096

// patience is how long an answer may take: a server that is asked more than it can do is slow, and that is a figure.
const patience = 10 * time.Minute

// connection asks for one thing after the other.
type connection struct {
	base     string
	client   *fasthttp.Client
	request  fasthttp.Request
	response fasthttp.Response
	room     []byte
	// head is how the last body began, as it came; isPacked whether that is gzip.
	head     []byte
	isPacked bool
	taken    []float64
	sizes    []int
}

// newClient makes so many connections at most, as they are needed, and keeps them. It sends what it is told as it is, once.
func newClient(connections int) *fasthttp.Client {
	return &fasthttp.Client{
		Dial:                          dial,
		TLSConfig:                     &tls.Config{InsecureSkipVerify: true}, // servers of benchmarks have certificates of their own
		MaxConnsPerHost:               connections,
		MaxIdleConnDuration:           patience,
		MaxIdemponentCallAttempts:     1,
		ReadTimeout:                   patience,
		ReadBufferSize:                16 << 10, // as long as what TLS sends at once
		StreamResponseBody:            true,
		NoDefaultUserAgentHeader:      true,
		DisableHeaderNamesNormalizing: true,
		DisablePathNormalizing:        true,
	}
}

// newConnection asks by a client that others may ask by as well.
func newConnection(base string, headers map[string]string, client *fasthttp.Client) *connection {
	c := &connection{base: base, client: client, room: make([]byte, 64<<10)}
	for name, value := range headers {
		c.request.Header.Set(name, value)
	}
	return c
}

// get asks for a path, reads the answer to its end and notes the time and the size.
func (c *connection) get(path string) error {
	return c.getSince(time.Now(), path)
}

// getSince is get for what should have been asked for at begin: the time counts from there.
func (c *connection) getSince(begin time.Time, path string) error {
	c.request.SetRequestURI(c.base + path)
	if err := c.client.Do(&c.request, &c.response); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if status := c.response.StatusCode(); status != fasthttp.StatusOK {
		return fmt.Errorf("%s: status %d", path, status)
	}
	c.isPacked = string(c.response.Header.ContentEncoding()) == "gzip"
	size, err := c.drain(c.response.BodyStream())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := c.response.CloseBodyStream(); err != nil {
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
