package simengine_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	get  = http.MethodGet
	post = http.MethodPost
	del  = http.MethodDelete
)

// comparedCalls is the story told to both engines.
func comparedCalls() []step {
	return slices.Concat(systemCalls(), imageCalls(), lifeCalls(), networkCalls(), hostCalls(), sharedCalls(),
		execCalls(), egressCalls(), refusedCalls(), volumeCalls(), endCalls())
}

// restoreBraces undoes the escaping of the placeholders of an escaped query.
func restoreBraces(path string) string {
	return strings.ReplaceAll(path, "%7Bmark%7D", "{mark}")
}

func filtered(path, filters string) string {
	return path + "filters=" + url.QueryEscape(filters)
}

// ours is a list of the test's own containers.
func ours(name, extra string) step {
	filters := `{"label":["hermes-sandbox.test={mark}"]` + extra + `}`
	// The braces of the mark must survive the escaping.
	path := filtered("/containers/json?all=1&", filters)
	return step{name: name, method: get, path: restoreBraces(path)}
}

func systemCalls() []step {
	return []step{
		{name: "ping", method: get, path: "/_ping"},
		{name: "ping by head", method: http.MethodHead, path: "/_ping"},
		{name: "version", method: get, path: "/version", look: shape},
		{name: "info", method: get, path: "/info", look: shape},
		{name: "API version too new", method: get, path: "/v1.99/containers/json"},
		{name: "API version too old", method: get, path: "/v1.5/containers/json", look: status},
		{name: "unknown page", method: get, path: "/nosuchpage"},
		{name: "wrong method", method: post, path: "/containers/json"},
		{name: "list with an unknown filter", method: get, path: filtered("/containers/json?", `{"bogus":["x"]}`)},
		{name: "list with an unknown state", method: get, path: filtered("/containers/json?", `{"status":["bogus"]}`)},
		{name: "list with filters that are no JSON", method: get, path: "/containers/json?filters=bogus"},
		ours("empty list", ""),
	}
}

func imageCalls() []step {
	const repository = "hermes-sandbox-compare-{mark}"
	return []step{
		{name: "image inspect", method: get, path: "/v1.41/images/{image}/json", look: shape},
		{name: "unknown image", method: get, path: "/images/nosuch:x/json"},
		{
			name: "import", method: post, body: "tar:", save: "imported",
			path: "/v1.41/images/create?fromSrc=-&repo=" + repository + "&tag=import&changes=LABEL+made%3Dhere&changes=CMD+%5B%22x%22%5D",
		},
		{name: "inspect imported", method: get, path: "/v1.41/images/" + repository + ":import/json"},
		{name: "list imported", method: get, path: restoreBraces(filtered("/v1.41/images/json?", `{"reference":["`+repository+`"]}`))},
		{name: "tag", method: post, path: "/images/" + repository + ":import/tag?repo=" + repository + "&tag=second"},
		{name: "tag of nothing", method: post, path: "/images/nosuch:x/tag?repo=" + repository + "&tag=second"},
		{name: "untag", method: del, path: "/images/" + repository + ":second"},
		{name: "delete image", method: del, path: "/images/" + repository + ":import"},
		{name: "delete image again", method: del, path: "/images/" + repository + ":import"},
	}
}

func lifeCalls() []step {
	const c = "/v1.41/containers/cmp-{mark}-a"
	const create = "/v1.41/containers/create?name=cmp-{mark}-a"
	const body = `{"Image":"{image}","Cmd":["sleep","1000"],"Env":["A=1"],"Labels":{{label},"hermes-agent":"1"},` +
		`"HostConfig":{"Init":true,"CapDrop":["ALL"],"CapAdd":["CHOWN"],"Tmpfs":{"/tmp":"rw"},"PidsLimit":100,` +
		`"Binds":["/tmp:/x:ro"],"SecurityOpt":["no-new-privileges"],"ExtraHosts":["a:1.2.3.4"]}}`
	return []step{
		{name: "create", method: post, path: create, body: body, save: "a"},
		{name: "create with a taken name", method: post, path: create, body: body},
		{name: "create with a bad name", method: post, path: "/containers/create?name=h%2Fp", body: body},
		{name: "create from an unknown image", method: post, path: "/containers/create?name=cmp-{mark}-q", body: `{"Image":"nosuch:x","Cmd":["x"]}`},
		{name: "inspect created", method: get, path: c + "/json"},
		ours("list created", ""),
		{name: "stop created", method: post, path: c + "/stop"},
		{name: "pause created", method: post, path: c + "/pause"},
		{name: "changes created", method: get, path: c + "/changes"},
		{name: "start", method: post, path: c + "/start"},
		{name: "start running", method: post, path: c + "/start"},
		{name: "inspect running", method: get, path: c + "/json"},
		{name: "inspect by ID", method: get, path: "/v1.41/containers/{a}/json"},
		{name: "inspect by short ID", method: get, path: "/v1.41/containers/{a:12}/json"},
		ours("list running", ""),
		ours("list by state", `,"status":["exited"]`),
		ours("list by name", `,"name":["cmp-{mark}-a"]`),
		{name: "top", method: get, path: c + "/top", look: shape},
		{name: "stats", method: get, path: c + "/stats?stream=false", look: shape},
		{name: "logs without a stream", method: get, path: c + "/logs"},
		{name: "logs", method: get, path: c + "/logs?stdout=1&stderr=1"},
		{name: "remove running", method: del, path: c},
		{name: "pause", method: post, path: c + "/pause"},
		{name: "pause again", method: post, path: c + "/pause"},
		{name: "inspect paused", method: get, path: c + "/json"},
		ours("list paused", ""),
		{name: "start paused", method: post, path: c + "/start"},
		{name: "exec paused", method: post, path: c + "/exec", body: `{"Cmd":["true"]}`},
		{name: "remove paused", method: del, path: c},
		{name: "unpause", method: post, path: c + "/unpause"},
		{name: "unpause again", method: post, path: c + "/unpause"},
		{name: "rename to nothing", method: post, path: c + "/rename?name="},
		{name: "rename to itself", method: post, path: c + "/rename?name=cmp-{mark}-a"},
		{name: "rename", method: post, path: c + "/rename?name=cmp-{mark}-b"},
		{name: "rename back", method: post, path: "/containers/cmp-{mark}-b/rename?name=cmp-{mark}-a"},
		{name: "restart", method: post, path: c + "/restart?t=5"},
		{name: "inspect restarted", method: get, path: c + "/json"},
		{name: "stop", method: post, path: c + "/stop?t=5"},
		{name: "stop again", method: post, path: c + "/stop?t=5"},
		{name: "inspect exited", method: get, path: c + "/json"},
		ours("list exited", ""),
		{name: "wait for exited", method: post, path: c + "/wait"},
		{name: "kill exited", method: post, path: c + "/kill"},
		{name: "top exited", method: get, path: c + "/top"},
		{name: "stats exited", method: get, path: c + "/stats?stream=false"},
		{name: "exec exited", method: post, path: c + "/exec", body: `{"Cmd":["true"]}`},
		{name: "start again", method: post, path: c + "/start"},
		{name: "inspect started again", method: get, path: c + "/json"},
		{name: "kill with an unknown signal", method: post, path: c + "/kill?signal=BOGUS"},
	}
}

func networkCalls() []step {
	const c = `{"Container":"cmp-{mark}-a"`
	const n = "/v1.41/networks/cmpnet-{mark}"
	inspect := func(name string) step {
		return step{name: name, method: get, path: "/v1.41/containers/cmp-{mark}-a/json"}
	}
	return []step{
		{name: "network create", method: post, path: "/v1.41/networks/create", body: `{"Name":"cmpnet-{mark}","Internal":true,"Labels":{{label}}}`, save: "net"},
		{name: "network create again", method: post, path: "/v1.41/networks/create", body: `{"Name":"cmpnet-{mark}","CheckDuplicate":true}`},
		{name: "network create predefined", method: post, path: "/v1.41/networks/create", body: `{"Name":"bridge"}`},
		{name: "network inspect", method: get, path: n},
		{name: "network inspect by ID", method: get, path: "/v1.41/networks/{net}"},
		{name: "network unknown", method: get, path: "/networks/nosuch"},
		{name: "network list", method: get, path: restoreBraces(filtered("/v1.41/networks?", `{"label":["hermes-sandbox.test={mark}"]}`))},
		{name: "connect", method: post, path: n + "/connect", body: c + `,"EndpointConfig":{"Aliases":["foo"]}}`},
		{name: "connect again", method: post, path: n + "/connect", body: c + `}`},
		inspect("inspect on two networks"),
		{name: "network with a member", method: get, path: n},
		{name: "remove a network in use", method: del, path: n},
		{name: "disconnect", method: post, path: n + "/disconnect", body: c + `}`},
		{name: "disconnect again", method: post, path: n + "/disconnect", body: c + `}`},
		{name: "disconnect the last", method: post, path: "/networks/bridge/disconnect", body: c + `}`},
		inspect("inspect cut off"),
		{name: "latch", method: post, path: "/networks/none/connect", body: c + `}`},
		inspect("inspect latched"),
		{name: "connect while latched", method: post, path: "/networks/bridge/connect", body: c + `}`},
		{name: "latch again", method: post, path: "/networks/none/connect", body: c + `}`},
		{name: "connect to host", method: post, path: "/networks/host/connect", body: c + `}`},
		{name: "connect to nothing", method: post, path: "/networks/nosuch/connect", body: c + `}`},
		{name: "connect nothing", method: post, path: "/networks/bridge/connect", body: `{"Container":"nosuch"}`},
		{name: "disconnect nothing", method: post, path: "/networks/bridge/disconnect", body: `{"Container":"nosuch"}`},
		{name: "disconnect from nothing", method: post, path: "/networks/nosuch/disconnect", body: c + `}`},
		{name: "unlatch", method: post, path: "/networks/none/disconnect", body: c + `}`},
		{name: "alias on bridge", method: post, path: "/networks/bridge/connect", body: c + `,"EndpointConfig":{"Aliases":["foo"]}}`},
		{name: "address on bridge", method: post, path: "/networks/bridge/connect", body: c + `,"EndpointConfig":{"IPAMConfig":{"IPv4Address":"172.17.0.9"}}}`},
		{name: "connect to bridge again", method: post, path: "/networks/bridge/connect", body: c + `}`},
		{name: "stop for a stopped cut", method: post, path: "/containers/cmp-{mark}-a/stop?t=5"},
		{name: "disconnect stopped", method: post, path: "/networks/bridge/disconnect", body: c + `}`},
		inspect("inspect cut off while stopped"),
		{name: "connect stopped", method: post, path: n + "/connect", body: c + `}`},
		inspect("inspect connected while stopped"),
		{name: "start on the other network", method: post, path: "/containers/cmp-{mark}-a/start"},
		inspect("inspect started on the other network"),
		ours("list by network", `,"network":["cmpnet-{mark}"]`),
	}
}

func hostCalls() []step {
	const h = "/v1.41/containers/cmp-{mark}-h"
	const c = `{"Container":"cmp-{mark}-h"`
	return []step{
		{name: "create on host", method: post, path: "/containers/create?name=cmp-{mark}-h", body: `{"Image":"{image}","Labels":{{label}},"Hostname":"x","HostConfig":{"NetworkMode":"host"}}`, save: "h"},
		{name: "inspect created on host", method: get, path: h + "/json"},
		{name: "start on host", method: post, path: h + "/start"},
		{name: "inspect on host", method: get, path: h + "/json"},
		{name: "disconnect from host", method: post, path: "/networks/host/disconnect", body: c + `}`},
		{name: "disconnect from host by force", method: post, path: "/networks/host/disconnect", body: c + `,"Force":true}`},
		{name: "connect beside host", method: post, path: "/networks/bridge/connect", body: c + `}`},
		{name: "kill on host", method: post, path: h + "/kill"},
		{name: "wait on host", method: post, path: h + "/wait"},
		{name: "disconnect from host stopped", method: post, path: "/networks/host/disconnect", body: c + `}`},
		{name: "start on host without networks", method: post, path: h + "/start"},
		{name: "inspect on host without networks", method: get, path: h + "/json"},
		{name: "remove on host", method: del, path: h + "?force=1"},
		{name: "remove again", method: del, path: h + "?force=1"},
	}
}

func sharedCalls() []step {
	const d, j = "/v1.41/containers/cmp-{mark}-d", "/v1.41/containers/cmp-{mark}-j"
	return []step{
		{name: "create without network", method: post, path: "/containers/create?name=cmp-{mark}-d", body: `{"Image":"{image}","Labels":{{label}},"HostConfig":{"NetworkMode":"none"}}`, save: "d"},
		{name: "inspect created without network", method: get, path: d + "/json"},
		{name: "create joined", method: post, path: "/containers/create?name=cmp-{mark}-j", body: `{"Image":"{image}","Labels":{{label}},"HostConfig":{"NetworkMode":"container:cmp-{mark}-d"}}`, save: "j"},
		{name: "start joined to a stopped one", method: post, path: j + "/start"},
		{name: "start without network", method: post, path: d + "/start"},
		{name: "inspect without network", method: get, path: d + "/json"},
		{name: "start joined", method: post, path: j + "/start"},
		{name: "inspect joined", method: get, path: j + "/json"},
		{name: "disconnect joined", method: post, path: "/networks/bridge/disconnect", body: `{"Container":"{j}"}`},
		{name: "connect joined", method: post, path: "/networks/bridge/connect", body: `{"Container":"{j}"}`},
		{name: "connect beside none", method: post, path: "/networks/bridge/connect", body: `{"Container":"{d}"}`},
		{name: "leave none", method: post, path: "/networks/none/disconnect", body: `{"Container":"{d}"}`},
		{name: "drift", method: post, path: "/networks/bridge/connect", body: `{"Container":"{d}"}`},
		{name: "inspect drifted", method: get, path: d + "/json"},
		ours("list drifted", ""),
		{name: "create on an unknown network", method: post, path: "/containers/create?name=cmp-{mark}-u", body: `{"Image":"{image}","Labels":{{label}},"HostConfig":{"NetworkMode":"nosuchnet"}}`, save: "u"},
		{name: "start on an unknown network", method: post, path: "/containers/cmp-{mark}-u/start"},
		{name: "create joined to nothing", method: post, path: "/containers/create?name=cmp-{mark}-v", body: `{"Image":"{image}","Labels":{{label}},"HostConfig":{"NetworkMode":"container:nosuch"}}`},
		{name: "start joined to nothing", method: post, path: "/containers/cmp-{mark}-v/start"},
		{name: "remove joined to nothing", method: del, path: "/containers/cmp-{mark}-v"},
	}
}

func execCalls() []step {
	const d = "/v1.41/containers/cmp-{mark}-d"
	return []step{
		{name: "exec create", method: post, path: d + "/exec", body: `{"Cmd":["sleep","600"],"AttachStdout":true}`, save: "exec"},
		{name: "exec inspect before", method: get, path: "/v1.41/exec/{exec}/json"},
		{name: "exec create without a command", method: post, path: d + "/exec", body: `{}`},
		{name: "exec unknown", method: get, path: "/exec/nosuch/json"},
		{name: "exec of nothing", method: post, path: "/containers/nosuch/exec", body: `{"Cmd":["true"]}`},
		{name: "inspect with an exec", method: get, path: d + "/json"},
		{name: "commit", method: post, path: "/commit?container=cmp-{mark}-d&repo=hermes-sandbox-compare-{mark}&tag=commit", body: `{"Labels":{"hermes-agent":""}}`, save: "committed"},
		{name: "inspect committed", method: get, path: "/v1.41/images/hermes-sandbox-compare-{mark}:commit/json"},
		{name: "commit nothing", method: post, path: "/commit?container=nosuch"},
		{name: "create from committed", method: post, path: "/containers/create?name=cmp-{mark}-k", body: `{"Image":"hermes-sandbox-compare-{mark}:commit","HostConfig":{}}`, save: "k"},
		{name: "inspect from committed", method: get, path: "/v1.41/containers/cmp-{mark}-k/json"},
		{name: "delete image in use", method: del, path: "/images/hermes-sandbox-compare-{mark}:commit"},
		{name: "remove from committed", method: del, path: "/containers/cmp-{mark}-k"},
		{name: "delete committed", method: del, path: "/images/hermes-sandbox-compare-{mark}:commit", look: shape},
	}
}

// egressCalls are what a filtering proxy and its network need.
func egressCalls() []step {
	const p = "/v1.41/containers/cmp-{mark}-p"
	const make = `{"Image":"{image}","Cmd":["sleep","1000"],"Labels":{{label}},"Env":["EGRESS_ALLOWLIST=a"],"Hostname":"proxy",` +
		`"HostConfig":{"NetworkMode":"cmpfix-{mark}","Init":true,"RestartPolicy":{"Name":"unless-stopped"},"ReadonlyRootfs":true,` +
		`"CapDrop":["ALL"],"Memory":67108864,"Mounts":[{"Type":"bind","Source":"/tmp","Target":"/m","ReadOnly":true}]},` +
		`"NetworkingConfig":{"EndpointsConfig":{"cmpfix-{mark}":{"Aliases":["egress-proxy"],"IPAMConfig":{"IPv4Address":"10.213.7.77"}}}}}`
	return []step{
		{
			name: "network with a subnet", method: post, path: "/v1.41/networks/create", save: "fix",
			body: `{"Name":"cmpfix-{mark}","Internal":true,"IPAM":{"Config":[{"Subnet":"10.213.7.64/26"}]},"Options":{"com.docker.network.bridge.inhibit_ipv4":"false"},"Labels":{{label}}}`,
		},
		{name: "inspect the network with a subnet", method: get, path: "/v1.41/networks/cmpfix-{mark}"},
		{name: "subnet that overlaps", method: post, path: "/v1.41/networks/create", body: `{"Name":"cmpbad-{mark}","IPAM":{"Config":[{"Subnet":"10.213.7.0/24"}]},"Labels":{{label}}}`},
		{name: "create with an alias and an address", method: post, path: "/v1.41/containers/create?name=cmp-{mark}-p", body: make, save: "p"},
		{name: "inspect created with an alias", method: get, path: p + "/json"},
		{name: "start with an alias", method: post, path: p + "/start"},
		{name: "inspect with an alias", method: get, path: p + "/json"},
		{name: "second leg", method: post, path: "/networks/bridge/connect", body: `{"Container":"{p}"}`},
		{name: "inspect with two legs", method: get, path: p + "/json"},
		{name: "address that is taken", method: post, path: "/networks/cmpfix-{mark}/connect", body: `{"Container":"cmp-{mark}-a","EndpointConfig":{"IPAMConfig":{"IPv4Address":"10.213.7.77"}}}`},
		{name: "address outside", method: post, path: "/networks/cmpfix-{mark}/connect", body: `{"Container":"cmp-{mark}-a","EndpointConfig":{"IPAMConfig":{"IPv4Address":"10.99.0.1"}}}`},
		{name: "asked address", method: post, path: "/networks/{fix}/connect", body: `{"Container":"{a}","EndpointConfig":{"IPAMConfig":{"IPv4Address":"10.213.7.80"},"Aliases":["x"]}}`},
		{name: "inspect with an asked address", method: get, path: "/v1.41/containers/{a}/json"},
		{name: "leave the asked address", method: post, path: "/networks/{fix}/disconnect", body: `{"Container":"{a}"}`},
		{name: "restart with two legs", method: post, path: p + "/restart?t=5"},
		{name: "inspect restarted with two legs", method: get, path: p + "/json"},
		{name: "wait for the next exit is refused for nothing", method: post, path: "/containers/nosuch/wait?condition=next-exit"},
		{name: "remove with two legs", method: del, path: p + "?force=true&v=true"},
		{name: "remove the network with a subnet", method: del, path: "/networks/{fix}"},
	}
}

func refusedCalls() []step {
	return []step{
		{name: "inspect nothing", method: get, path: "/containers/nosuch/json"},
		{name: "start nothing", method: post, path: "/containers/nosuch/start"},
		{name: "stop nothing", method: post, path: "/containers/nosuch/stop"},
		{name: "remove nothing", method: del, path: "/containers/nosuch"},
		{name: "rename nothing", method: post, path: "/containers/nosuch/rename?name=x"},
		{name: "top of nothing", method: get, path: "/containers/nosuch/top"},
		{name: "stats of nothing", method: get, path: "/containers/nosuch/stats?stream=false"},
		{name: "wait for nothing", method: post, path: "/containers/nosuch/wait"},
		{name: "remove a predefined network", method: del, path: "/networks/bridge"},
		{name: "remove an unknown network", method: del, path: "/networks/nosuch"},
		{name: "create without a body", method: post, path: "/containers/create", look: status},
		{name: "create with a body that is no JSON", method: post, path: "/containers/create", body: `{"Image":`, look: status},
	}
}

func volumeCalls() []step {
	return []step{
		{name: "volume create", method: post, path: "/v1.41/volumes/create", body: `{"Name":"cmpvol-{mark}","Labels":{{label}}}`},
		{name: "volume inspect", method: get, path: "/v1.41/volumes/cmpvol-{mark}"},
		{name: "create with volumes", method: post, path: "/containers/create?name=cmp-{mark}-w", body: `{"Image":"{image}","Labels":{{label}},"Volumes":{"/anon":{}},"HostConfig":{"Binds":["cmpvol-{mark}:/named"]}}`, save: "w"},
		{name: "remove a volume in use", method: del, path: "/volumes/cmpvol-{mark}"},
		{name: "remove with volumes", method: del, path: "/containers/cmp-{mark}-w?v=1"},
		{name: "volume remove", method: del, path: "/volumes/cmpvol-{mark}"},
		{name: "volume remove again", method: del, path: "/volumes/cmpvol-{mark}"},
	}
}

func endCalls() []step {
	return []step{
		{name: "remove joined", method: del, path: "/containers/cmp-{mark}-j?force=1"},
		{name: "remove drifted", method: del, path: "/containers/cmp-{mark}-d?force=1"},
		{name: "remove never started", method: del, path: "/containers/cmp-{mark}-u"},
		{name: "remove running by force", method: del, path: "/containers/cmp-{mark}-a?force=1&v=1"},
		{name: "network remove", method: del, path: "/networks/cmpnet-{mark}"},
		{name: "network remove again", method: del, path: "/networks/cmpnet-{mark}"},
		ours("list after removal", ""),
	}
}
