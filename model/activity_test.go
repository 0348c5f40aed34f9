package model

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestMaskSecrets(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ in, want string }{
		"nothing":              {"ls -la /tmp", "ls -la /tmp"},
		"assignment":           {"API_TOKEN=abc make test", "API_TOKEN=*** make test"},
		"quoted assignment":    {`export DB_PASSWORD="a b c" && run`, `export DB_PASSWORD=*** && run`},
		"lower case":           {"db_password='x y' run", "db_password=*** run"},
		"option and space":     {"mysql --password hunter2 -h db", "mysql --password *** -h db"},
		"option and equals":    {"tool --api-key=abc --verbose", "tool --api-key=*** --verbose"},
		"bearer":               {`curl -H "Authorization: Bearer abc.def" https://x`, `curl -H "Authorization: Bearer ***" https://x`},
		"basic":                {`curl -H 'authorization: basic Zm9v' x`, `curl -H 'authorization: basic ***' x`},
		"header with a key":    {`curl -H "x-api-key: abc123" x`, `curl -H "x-api-key: ***" x`},
		"login":                {"curl -u ada:hunter2 https://x", "curl -u ada:*** https://x"},
		"address":              {"git clone https://ada:hunter2@host/x", "git clone https://ada:***@host/x"},
		"JSON":                 {`-d '{"password": "abc", "a": 1}'`, `-d '{"password": ***, "a": 1}'`},
		"OpenAI":               {"echo sk-abcdefghijklmnop", "echo ***"},
		"GitHub":               {"echo ghp_0123456789abcdef0123", "echo ***"},
		"JSON web token":       {"echo eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "echo ***"},
		"private key":          {"echo '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----'", "echo '-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----'"},
		"a name that is plain": {"author=ada bearing --author Ada", "author=ada bearing --author Ada"},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (Masker{}).Text(NewText(tt.in)).Raw(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestIdleSince(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	over := Command{CreatedAt: at, StartedAt: at, EndedAt: at.Add(time.Minute), Over: true}
	cases := map[string]struct {
		commands []Command
		want     time.Time
	}{
		"nothing known":     {nil, time.Time{}},
		"all over":          {[]Command{over, {CreatedAt: at.Add(-time.Hour), Over: true}}, at.Add(time.Minute)},
		"one runs":          {[]Command{over, {CreatedAt: at}}, time.Time{}},
		"the end not known": {[]Command{{CreatedAt: at, Over: true}}, at},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := Activity{Commands: tt.commands}
			if got := a.IdleSince(); !got.Equal(tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func FuzzMaskSecrets(f *testing.F) {
	f.Add("TOKEN=hunter2secret x")
	f.Add("--password 'hunter2secret")
	f.Fuzz(func(t *testing.T, in string) {
		once := Masker{}.Text(NewText(in))
		if strings.Contains(in, "\n") {
			return
		}
		line := "PASSWORD=hunter2secret " + in
		if strings.Contains((Masker{}).Text(NewText(line)).Raw(), "hunter2secret") && !strings.Contains(in, "hunter2secret") {
			t.Fatalf("%q shows the secret", line)
		}
		_ = once
	})
}

func TestMaskValues(t *testing.T) {
	t.Parallel()
	var document any
	in := `{"Env":["A=1","B"],"Cmd":["run","--token","hunter2","--token=hunter2"],"password":"x","n":12345678901234567890,"deep":[{"url":"http://a:b@c"}],"token_count":3}`
	decoder := json.NewDecoder(strings.NewReader(in))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(Masker{}.Values(document))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"Cmd":["run","--token","***","--token=***"],"Env":["A=***","B"],"deep":[{"url":"http://a:***@c"}],"n":12345678901234567890,"password":"***","token_count":3}`
	if string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}
