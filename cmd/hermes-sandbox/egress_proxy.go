package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hermes-sandbox/egress"
)

// egressProxyPort is where sandboxes look for the proxy (contract 6.2).
const egressProxyPort = "8888"

// egressProxyFlags are the proxy's settings as text: from flags, and from the
// environment where a flag is not given.
type egressProxyFlags struct {
	allow, ports, allowCIDRs, clients []string
	address, port                     string
}

func (a *app) egressProxyCommand(failed *error) *cobra.Command {
	var flags egressProxyFlags
	command := &cobra.Command{
		Use:   "egress-proxy",
		Short: "Run the filtering proxy of an allowlist network",
		Long: "Run the proxy that is the only way out of an allowlist network. It lets CONNECT\n" +
			"and plain HTTP through to the hosts of the list and refuses the rest, and prints\n" +
			"one JSON line per decision. An entry of the list is a host, *.domain for all\n" +
			"names below a domain, or an address, each with :port where one port is meant.\n" +
			"Without a list nothing gets out.\n\n" +
			"Each flag has a variable, which counts when the flag is not given:\n" +
			"EGRESS_ALLOWLIST, PROXY_PORT, EGRESS_PORTS, EGRESS_ALLOW_CIDRS, EGRESS_CLIENTS.",
		Example: "hermes-sandbox egress-proxy --allow 'pypi.org,*.pythonhosted.org'\n" +
			"EGRESS_ALLOWLIST=github.com:443 hermes-sandbox egress-proxy --address 127.0.0.1",
		Args: cobra.NoArgs,
		RunE: guarded(failed, func(command *cobra.Command, _ []string) error {
			for name, variable := range egressProxyVariables() {
				flag := command.Flags().Lookup(name)
				if value := strings.TrimSpace(a.getenv(variable)); value != "" && !flag.Changed {
					if err := flag.Value.Set(value); err != nil {
						return usageError(fmt.Errorf("%s: %w", variable, err))
					}
				}
			}
			return a.runEgressProxy(command.Context(), flags)
		}),
	}
	f := command.Flags()
	f.StringArrayVar(&flags.allow, "allow", nil, "hosts that may be reached (comma list, repeatable)")
	f.StringArrayVar(&flags.ports, "ports", nil, "ports of hosts that are listed without one (80 and 443)")
	f.StringArrayVar(&flags.allowCIDRs, "allow-cidrs", nil, "private ranges that names may lead to all the same")
	f.StringArrayVar(&flags.clients, "clients", nil, "networks of the sandboxes that are served (any)")
	f.StringVar(&flags.address, "address", "", "address to listen on (all)")
	f.StringVar(&flags.port, "port", egressProxyPort, "port to listen on")
	return command
}

// egressProxyVariables returns the variables by the flag they stand for.
func egressProxyVariables() map[string]string {
	return map[string]string{
		"allow": "EGRESS_ALLOWLIST", "port": "PROXY_PORT", "ports": "EGRESS_PORTS",
		"allow-cidrs": "EGRESS_ALLOW_CIDRS", "clients": "EGRESS_CLIENTS",
	}
}

func (a *app) runEgressProxy(ctx context.Context, flags egressProxyFlags) error {
	options, err := flags.options()
	if err != nil {
		return usageError(err)
	}
	options.Now, options.Log = a.now, a.stdout
	server, err := egress.NewServer(options)
	if err != nil {
		return usageError(err)
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", net.JoinHostPort(flags.address, flags.port))
	if err != nil {
		return fmt.Errorf("listen for sandboxes: %w", err)
	}
	a.note("hermes-sandbox: egress proxy on %s with %d allowlist entries", listener.Addr(), len(options.Allow))
	return server.Serve(ctx, listener)
}

// options reads the settings; all mistakes are in the error.
func (f egressProxyFlags) options() (egress.Options, error) {
	options := egress.Options{Allow: commaList(f.allow)}
	var failures []error
	for _, text := range commaList(f.ports) {
		port, err := strconv.Atoi(text)
		if err != nil {
			failures = append(failures, fmt.Errorf("port %q is no number", text))
		}
		options.Ports = append(options.Ports, port)
	}
	ranges := func(texts []string) (prefixes []netip.Prefix) {
		for _, text := range commaList(texts) {
			prefix, err := netip.ParsePrefix(text)
			if err != nil {
				failures = append(failures, fmt.Errorf("%q is no address range such as 10.0.0.0/8", text))
				continue
			}
			prefixes = append(prefixes, prefix)
		}
		return prefixes
	}
	options.AllowCIDRs, options.Clients = ranges(f.allowCIDRs), ranges(f.clients)
	return options, errors.Join(failures...)
}

// commaList returns the parts of comma lists, without blanks and blank parts.
func commaList(lists []string) []string {
	var parts []string
	for _, list := range lists {
		for part := range strings.SplitSeq(list, ",") {
			if part = strings.TrimSpace(part); part != "" {
				parts = append(parts, part)
			}
		}
	}
	return parts
}
