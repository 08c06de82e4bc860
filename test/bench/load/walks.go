package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"time"
)

// walks go through all pages of a collection, each page told by what came before, as dartboard's users do (dartboard: k6, load_steve_new_pagination).
// Each walker has a connection of its own, whose set-up is part of its first page.
type walks struct {
	// Walkers are the headers that each of them sends.
	Walkers []map[string]string `json:"walkers"`
	// Times is how often each of them walks, where there is time.
	Times    int    `json:"times"`
	Path     string `json:"path"`
	PageSize int    `json:"pageSize"`
	// By is how the next page is asked for: by `page`, its number, at the revision of the first one, or by what was told to `continue` with.
	By string `json:"by"`
}

// step asks for one page and reports what ends a walk early: that the time is over.
type step func(path string) (isOver bool, err error)

func (w walks) send(asked order) (connections []*connection, begin time.Time, err error) {
	walk, ok := map[string]func(walks, *connection, step) error{"page": walks.byPage, "continue": walks.byContinue}[w.By]
	if !ok || w.PageSize < 1 {
		return nil, begin, fmt.Errorf("walks go by page or continue, with a size of pages")
	}
	connections = make([]*connection, len(w.Walkers))
	for i, headers := range w.Walkers {
		connections[i] = newConnection(asked.Base, headers, newClient(1))
	}
	begin = time.Now()
	end := asked.end(begin)
	err = each(connections, func(_ int, c *connection) error {
		get := func(path string) (bool, error) {
			err := c.get(path)
			return err != nil || !time.Now().Before(end), err
		}
		for range w.Times {
			if err := walk(w, c, get); err != nil || !time.Now().Before(end) {
				return err
			}
		}
		return nil
	})
	return connections, begin, err
}

// byPage goes through the pages of a /v1.
func (w walks) byPage(c *connection, get step) error {
	if isOver, err := get(fmt.Sprintf("%s?pagesize=%d&page=1", w.Path, w.PageSize)); isOver {
		return err
	}
	head := c.text()
	total, err := strconv.Atoi(groupIn(totals, head))
	revision := groupIn(revisions, head)
	if err != nil || revision == "" {
		return fmt.Errorf("%s tells no total or revision", w.Path)
	}
	for page := 2; (page-1)*w.PageSize < total; page++ {
		path := fmt.Sprintf("%s?pagesize=%d&page=%d&revision=%s", w.Path, w.PageSize, page, revision)
		if isOver, err := get(path); isOver {
			return err
		}
	}
	return nil
}

// byContinue goes through the pages of an API server.
func (w walks) byContinue(c *connection, get step) error {
	first := fmt.Sprintf("%s?limit=%d", w.Path, w.PageSize)
	for path := first; ; {
		if isOver, err := get(path); isOver {
			return err
		}
		token := groupIn(continues, c.text())
		if token == "" {
			return nil
		}
		path = first + "&continue=" + url.QueryEscape(token)
	}
}

var (
	totals    = regexp.MustCompile(`"count":"?(\d+)`)
	revisions = regexp.MustCompile(`"revision":"?(\d+)`)
	continues = regexp.MustCompile(`"continue":"([^"]+)"`)
)

// groupIn is what stands where the expression has its group; empty where it is not found.
func groupIn(expression *regexp.Regexp, text []byte) string {
	match := expression.FindSubmatch(text)
	if match == nil {
		return ""
	}
	return string(match[1])
}

// text is how the last answer began, unpacked.
func (c *connection) text() []byte {
	if !c.isPacked {
		return c.head
	}
	reader, err := gzip.NewReader(bytes.NewReader(c.head))
	if err != nil {
		return nil
	}
	text := make([]byte, headSize)
	n, _ := io.ReadFull(reader, text) // it breaks off where the beginning ends
	return text[:n]
}
