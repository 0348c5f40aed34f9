package model

import "strings"

// NetworkFlags returns the networks that docker_extra_args names with --network
// and --net, in order. Hermes looks at the first only; Docker attaches to all
// (contract 6.1).
func NetworkFlags(args []string) []string {
	var networks []string
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if name != "--network" && name != "--net" {
			continue
		}
		if !joined {
			if i+1 >= len(args) {
				break
			}
			i++
			value = args[i]
		}
		networks = append(networks, networkName(value))
	}
	return networks
}

// networkName takes the name out of Docker's long form, name=x,alias=y.
func networkName(value string) string {
	for part := range strings.SplitSeq(value, ",") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(part), "name="); ok {
			return name
		}
	}
	return value
}
