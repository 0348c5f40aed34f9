package model

import "testing"

func TestCarriesEgressEnv(t *testing.T) {
	t.Parallel()
	var whole []string
	for _, v := range EgressEnv() {
		whole = append(whole, v.Name+"="+v.Value)
	}
	for name, row := range map[string]struct {
		env  []string
		want bool
	}{
		"all of it":              {whole, true},
		"others beside it":       {append([]string{"PATH=/bin"}, whole...), true},
		"without NO_PROXY":       {whole[:4], true},
		"NO_PROXY of its own":    {append(whole[:4:4], "NO_PROXY=*"), true},
		"nothing":                {nil, false},
		"upper case alone":       {[]string{whole[0], whole[2]}, false},
		"lower case alone":       {[]string{whole[1], whole[3]}, false},
		"another proxy":          {append(whole[1:4:4], "HTTP_PROXY=http://proxy.example:8888"), false},
		"another port":           {append(whole[1:4:4], "HTTP_PROXY=http://egress-proxy:8889"), false},
		"set to nothing":         {append(whole[1:4:4], "HTTP_PROXY="), false},
		"set twice, differently": {append([]string{"HTTP_PROXY=http://proxy.example:1"}, whole...), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := CarriesEgressEnv(&Container{Env: postureTexts(row.env...)}); got != row.want {
				t.Errorf("%q carries it: %t, want %t", row.env, got, row.want)
			}
		})
	}
}
