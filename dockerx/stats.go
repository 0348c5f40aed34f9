package dockerx

import (
	"context"
	"net/url"
	"time"

	"github.com/moby/moby/client/pkg/versions"

	"hermes-sandbox/model"
)

const (
	statsTimeout = 5 * time.Second
	topTimeout   = 5 * time.Second
	statsLimit   = 1 << 20
	topLimit     = 4 << 20
	topRows      = 2000
)

// Sample reads what a container has used so far. One that does not run has a
// sample without a time.
func (c *Client) Sample(ctx context.Context, id model.ID) (model.Sample, error) {
	const op = "read the usage"
	ctx, cancel := context.WithTimeout(ctx, statsTimeout)
	defer cancel()
	version, err := c.negotiate(ctx)
	if err != nil {
		return model.Sample{}, err
	}
	query := url.Values{"stream": {"0"}}
	if versions.GreaterThanOrEqualTo(version, "1.41") {
		query.Set("one-shot", "1") // else the engine waits a second for a second sample
	}
	row, err := c.lookAt(ctx, op, id, "stats", query, statsLimit)
	if err != nil {
		return model.Sample{}, err
	}
	return decodeSample(row), nil
}

// lookAt reads one answer about a container.
func (c *Client) lookAt(ctx context.Context, op string, id model.ID, what string, query url.Values, limit int64) (object, error) {
	if !id.Valid() {
		return object{}, c.failure(ReasonOther, op, "it has no full container ID", "", nil)
	}
	data, _, err := c.get(ctx, op, "/containers/"+string(id)+"/"+what, query, limit)
	if err != nil {
		return object{}, err
	}
	row, err := newObject(data)
	if err != nil {
		return object{}, c.failure(ReasonBadAnswer, op, err.Error(), "", err)
	}
	return row, nil
}

func decodeSample(row object) model.Sample {
	read := row.stamp("read")
	if !read.Known() {
		return model.Sample{}
	}
	cpu, memory := row.child("cpu_stats"), row.child("memory_stats")
	sample := model.Sample{
		At:  read.Time,
		CPU: cpu.child("cpu_usage").counter("total_usage"), System: cpu.counter("system_cpu_usage"),
		CPUs:        int(min(cpu.counter("online_cpus"), 1<<16)),
		Memory:      usedMemory(memory),
		MemoryLimit: memory.counter("limit"),
		Processes:   row.child("pids_stats").counter("current"), ProcessLimit: row.child("pids_stats").counter("limit"),
	}
	if sample.CPUs == 0 {
		var each []uint64
		cpu.child("cpu_usage").read("percpu_usage", &each)
		sample.CPUs = len(each)
	}
	networks := row.child("networks")
	for _, member := range networks.members() {
		network := networks.childOf(string(member.name), member.raw)
		sample.Received += network.counter("rx_bytes")
		sample.Sent += network.counter("tx_bytes")
	}
	for _, entry := range row.child("blkio_stats").children("io_service_bytes_recursive") {
		switch entry.str("op") {
		case "Read", "read":
			sample.Read += entry.counter("value")
		case "Write", "write":
			sample.Written += entry.counter("value")
		}
	}
	return sample
}

// usedMemory leaves out the page cache that the kernel can take back, as
// docker stats does: the first kind of control groups counts it for the whole
// tree, the second has one figure.
func usedMemory(memory object) uint64 {
	usage, stats := memory.counter("usage"), memory.child("stats")
	name := "inactive_file"
	if stats.has("total_inactive_file") {
		name = "total_inactive_file"
	}
	if idle := stats.counter(name); idle < usage {
		return usage - idle
	}
	return usage
}

// counter reads a number that never is negative.
func (o object) counter(key string) uint64 {
	var value uint64
	if o.has(key) && o.read(key, &value) {
		return value
	}
	return 0
}

// Processes lists what runs in a container: by the fields we want, else those
// the engine gives by itself.
func (c *Client) Processes(ctx context.Context, id model.ID) (model.ProcessTable, error) {
	const op = "list the processes"
	ctx, cancel := context.WithTimeout(ctx, topTimeout)
	defer cancel()
	row, err := c.lookAt(ctx, op, id, "top", url.Values{"ps_args": {"-eo pid,ppid,user,pcpu,rss,etime,args"}}, topLimit)
	if reason := ReasonOf(err); reason == ReasonServer || reason == ReasonRefusedCall {
		row, err = c.lookAt(ctx, op, id, "top", nil, topLimit)
	}
	if err != nil {
		return model.ProcessTable{}, err
	}
	table := model.ProcessTable{Titles: row.texts("Titles")}
	var rows [][]string
	row.read("Processes", &rows)
	if len(rows) > topRows {
		table.Dropped = len(rows) - topRows
		rows = rows[:topRows]
	}
	for _, cells := range rows {
		texts := make([]model.Text, len(cells))
		for i, cell := range cells {
			texts[i] = model.NewText(cell)
		}
		table.Rows = append(table.Rows, texts)
	}
	return table, nil
}
