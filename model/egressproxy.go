package model

import "fmt"

// IsEgressNetwork reports whether a name is that of an allowlist network
// (contract 6.2). The name alone proves nothing.
func IsEgressNetwork(name Text) bool {
	_, ok := allowlistHash(name)
	return ok
}

// EgressProxyFault says why a container is not the running proxy of an
// allowlist's network (contract 6.4.6); empty when it is.
func EgressProxyFault(proxy *Container, allowlist []string, network Network) string {
	_, name := EgressNames(allowlist)
	switch {
	case !EgressProxy(proxy) || proxy.Name.Raw() != name:
		return fmt.Sprintf("container %s is no proxy of this allowlist", proxy.Name)
	case proxyHash(proxy) != EgressHash(allowlist):
		return fmt.Sprintf("its proxy %s lets another list through", proxy.Name)
	case proxy.State != StateRunning:
		return fmt.Sprintf("its proxy %s is %s", proxy.Name, stateWord(proxy.State))
	case !attachedTo(proxy, network):
		return fmt.Sprintf("its proxy %s is not on it", proxy.Name)
	}
	return ""
}
