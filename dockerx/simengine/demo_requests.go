package simengine

import (
	"fmt"
	"time"
)

// decisions is the log of the demonstration's proxy: what its sandbox asked for
// in the last half hour, some of it denied.
func (d *demo) decisions() []string {
	var lines []string
	for _, r := range []struct {
		ago             time.Duration
		host            string
		port            int
		verdict, reason string
		down            int64
	}{
		{31 * time.Minute, "pypi.org", 443, "allow", "listed", 48_211},
		{30 * time.Minute, "files.pythonhosted.org", 443, "deny", "not-listed", 0},
		{29 * time.Minute, "files.pythonhosted.org", 443, "deny", "not-listed", 0},
		{24 * time.Minute, "github.com", 443, "allow", "listed", 1_904_733},
		{23 * time.Minute, "github.com", 22, "deny", "port-not-listed", 0},
		{17 * time.Minute, "pypi.org", 443, "allow", "listed", 91_020},
		{12 * time.Minute, "telemetry.example.net", 443, "deny", "not-listed", 0},
		{8 * time.Minute, "github.com", 443, "fail", "unreachable", 0},
		{3 * time.Minute, "telemetry.example.net", 443, "deny", "not-listed", 0},
		{time.Minute, "github.com", 443, "allow", "listed", 330_118},
	} {
		lines = append(lines, fmt.Sprintf(
			`{"time":%q,"sandbox":%q,"method":"CONNECT","host":%q,"port":%d,"verdict":%q,"reason":%q,"bytes_up":612,"bytes_down":%d,"duration_ms":240}`,
			d.ago(r.ago).UTC().Format(time.RFC3339Nano), demoAllowClient, r.host, r.port, r.verdict, r.reason, r.down))
	}
	return lines
}
