package dockerx

import (
	"testing"

	"hermes-sandbox/dockerx/simengine"
	"hermes-sandbox/model"
)

func TestDecodeSample(t *testing.T) {
	t.Parallel()
	const read = `"read":"2026-11-30T12:00:00Z"`
	cases := map[string]struct {
		body string
		want model.Sample // without the time
	}{
		"control groups 1": {
			`{` + read + `,"cpu_stats":{"cpu_usage":{"total_usage":5,"percpu_usage":[1,2]},"system_cpu_usage":9},"memory_stats":{"usage":100,"limit":400,"stats":{"total_inactive_file":30,"inactive_file":10}},"pids_stats":{"current":3}}`,
			model.Sample{CPU: 5, System: 9, CPUs: 2, Memory: 70, MemoryLimit: 400, Processes: 3},
		},
		"control groups 2": {
			`{` + read + `,"cpu_stats":{"cpu_usage":{"total_usage":5},"system_cpu_usage":9,"online_cpus":4},"memory_stats":{"usage":100,"limit":400,"stats":{"inactive_file":10}},"pids_stats":{"current":3,"limit":18446744073709551615},
			  "networks":{"eth0":{"rx_bytes":1,"tx_bytes":2},"eth1":{"rx_bytes":10,"tx_bytes":20}},"blkio_stats":{"io_service_bytes_recursive":[{"op":"read","value":7},{"op":"Write","value":8},{"op":"Total","value":15}]}}`,
			model.Sample{CPU: 5, System: 9, CPUs: 4, Memory: 90, MemoryLimit: 400, Processes: 3, ProcessLimit: 1<<64 - 1, Received: 11, Sent: 22, Read: 7, Written: 8},
		},
		"more cache than usage": {`{` + read + `,"memory_stats":{"usage":5,"stats":{"inactive_file":9}}}`, model.Sample{Memory: 5}},
		"nothing in it":         {`{` + read + `}`, model.Sample{}},
		"odd values":            {`{` + read + `,"cpu_stats":[],"memory_stats":{"usage":-4,"limit":1.5,"stats":null},"networks":{"x":3},"pids_stats":"many"}`, model.Sample{}},
		"not running":           {`{"read":"0001-01-01T00:00:00Z","memory_stats":{"usage":5}}`, model.Sample{}},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row, err := newObject([]byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			got := decodeSample(row)
			if known := name != "not running"; known == got.At.IsZero() {
				t.Errorf("taken at %s", got.At)
			}
			tt.want.At = got.At
			if got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestSampleAsksForOneLookWhereThatExists(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"1.40": "", "1.41": "1", "1.44": "1"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			engine, client := onSimulated(t, simengine.Options{APIVersion: version})
			id, err := engine.Add(simengine.Spec{Name: "box"})
			if err != nil {
				t.Fatal(err)
			}
			sample, err := client.Sample(t.Context(), model.ID(id))
			if err != nil || sample.At.IsZero() || sample.Memory == 0 || sample.CPUs == 0 {
				t.Errorf("%+v, %v", sample, err)
			}
			asked := engine.RequestsOf(simengine.Stats)
			if len(asked) != 1 || asked[0].Query.Get("one-shot") != want || asked[0].Query.Get("stream") != "0" {
				t.Errorf("asked %+v", asked)
			}
			table, err := client.Processes(t.Context(), model.ID(id))
			if err != nil || len(table.Rows) == 0 || len(table.Titles) != len(table.Rows[0]) {
				t.Errorf("%+v, %v", table, err)
			}
		})
	}
}
