package simengine

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"time"
)

// containerStats answers one sample, or one a second until the reader leaves.
func (e *Engine) containerStats(w http.ResponseWriter, c *call) error {
	e.mu.Lock()
	found, err := e.lookup(c.PathValue("id"))
	e.mu.Unlock()
	if err != nil {
		return err
	}
	follow := c.query.Get("stream") == "" || c.flag("stream")
	w.Header().Set("Content-Type", "application/json")
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		e.mu.Lock()
		data, err := json.Marshal(e.sample(found))
		gone := e.byID[found.id] == nil
		e.mu.Unlock()
		if err != nil {
			return fmt.Errorf("sample: %w", err)
		}
		if _, err := w.Write(append(data, '\n')); err != nil || !follow || gone {
			return err //nolint:wrapcheck // the reader is gone; nobody reads the error
		}
		flush(w)
		select {
		case <-ticker.C:
		case <-c.Context().Done():
			return nil
		case <-e.done:
			return nil
		}
	}
}

// sample gives figures that follow from the container's ID and the clock
// alone, so that a picture of them is the same every time.
func (e *Engine) sample(c *container) object {
	if !c.running() {
		never := time.Time{}
		cpu := object{
			"cpu_usage":       object{"total_usage": 0, "usage_in_kernelmode": 0, "usage_in_usermode": 0},
			"throttling_data": object{"periods": 0, "throttled_periods": 0, "throttled_time": 0},
		}
		return object{
			"read": never, "preread": never, "pids_stats": object{}, "blkio_stats": blockStats(nil), "num_procs": 0,
			"storage_stats": object{}, "cpu_stats": cpu, "precpu_stats": cpu, "memory_stats": object{},
			"name": "/" + c.name, "id": c.id,
		}
	}
	now := e.now()
	limit := c.host.Memory
	if limit == 0 {
		limit = 32 << 30
	}
	used := c.memory(now)
	pids := object{"current": 2 + len(c.processes)}
	if c.host.PidsLimit != nil && *c.host.PidsLimit > 0 {
		pids["limit"] = *c.host.PidsLimit
	}
	body := object{
		"read": now, "preread": now.Add(-time.Second), "pids_stats": pids, "blkio_stats": blockStats([]object{}),
		"num_procs": 0, "storage_stats": object{},
		"cpu_stats": c.cpu(now), "precpu_stats": c.cpu(now.Add(-time.Second)),
		"memory_stats": object{
			"usage": used, "max_usage": used + used/8, "limit": limit,
			"stats": object{"cache": used / 3, "inactive_file": used / 4, "total_inactive_file": used / 4, "rss": used / 2},
		},
		"name": "/" + c.name, "id": c.id,
	}
	if links := c.traffic(now); len(links) > 0 {
		body["networks"] = links
	}
	return body
}

func blockStats(empty []object) object {
	stats := object{}
	for _, name := range []string{
		"io_service_bytes_recursive", "io_serviced_recursive", "io_queue_recursive", "io_service_time_recursive",
		"io_wait_time_recursive", "io_merged_recursive", "io_time_recursive", "sectors_recursive",
	} {
		stats[name] = empty
	}
	return stats
}

// work is the CPU time used after the given seconds of life, in nanoseconds: a
// small constant load and a slow wave, integrated.
func (c *container) work(seconds float64) int64 {
	const wave = 20 // seconds
	phase := float64(c.hash()%360) / 57.3
	half := 0.2 * float64(c.hash()%97) / 97
	used := (0.02+half)*seconds - half*wave*(math.Cos(phase+seconds/wave)-math.Cos(phase))
	return int64(used * 1e9)
}

func (c *container) hash() uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(c.id))
	return h.Sum32()
}

func (c *container) memory(at time.Time) int64 {
	base := int64(40+c.hash()%400) << 20
	return base + int64(float64(base)*0.1*math.Sin(float64(at.Unix())/30))
}

func (c *container) cpu(at time.Time) object {
	total := c.work(at.Sub(c.startedAt).Seconds())
	if c.status == statusPaused {
		total = c.work(0)
	}
	return object{
		"cpu_usage": object{
			"total_usage": total, "percpu_usage": []int64{total / 2, total / 2},
			"usage_in_kernelmode": total / 3, "usage_in_usermode": total / 3,
		},
		"system_cpu_usage": at.Unix() * 8 * 1e9, "online_cpus": 8,
		"throttling_data": object{"periods": 0, "throttled_periods": 0, "throttled_time": 0},
	}
}

func (c *container) traffic(at time.Time) object {
	links := object{}
	live := 0
	for _, point := range c.endpoints {
		if point.address.IsValid() {
			live++
		}
	}
	for i := range live {
		bytes := (at.Unix() - c.startedAt.Unix()) * int64(c.hash()%5000)
		links[fmt.Sprintf("eth%d", i)] = object{
			"rx_bytes": bytes, "rx_packets": bytes / 800, "rx_errors": 0, "rx_dropped": 0,
			"tx_bytes": bytes / 4, "tx_packets": bytes / 900, "tx_errors": 0, "tx_dropped": 0,
		}
	}
	return links
}
