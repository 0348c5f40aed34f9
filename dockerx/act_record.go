package dockerx

import (
	"net/netip"
	"slices"
	"time"

	"github.com/moby/moby/api/types/network"

	"hermes-sandbox/model"
)

// extendRecord decides what a container that is about to lose its networks gets
// back one day. An unfinished cut or move goes on: what it took off already stays
// in the record. So does what was recorded of a container that has nothing now,
// or only the allowlist network that we moved it to, which is not to be given
// back beside the networks that it took the place of. After a finished cut or
// move, one that is attached otherwise was connected by someone else, and only
// what it has now counts, or a reconnect would open more than was closed.
func extendRecord(old model.CutRecord, known bool, c model.Container, at time.Time) model.CutRecord {
	if known && len(connections(c)) == 0 {
		return old
	}
	record := newRecord(c, at)
	moved := known && !old.Onto.Empty()
	if !known || old.Complete && (!moved || !attachedTo(c, old.Onto)) {
		return record
	}
	if moved {
		record.Onto = old.Onto
		record.Networks = slices.DeleteFunc(record.Networks, func(n model.CutNetwork) bool { return model.IsEgressNetwork(n.Name) })
	}
	for _, earlier := range old.Networks {
		if !slices.ContainsFunc(record.Networks, func(n model.CutNetwork) bool { return n.Name == earlier.Name }) {
			record.Networks = append(record.Networks, earlier)
		}
	}
	return record
}

// moveRecord is [extendRecord] for a container that goes onto an allowlist
// network. One that was made on another has nothing to be given back: its list
// has changed.
func moveRecord(old model.CutRecord, known bool, c model.Container, book networkBook, onto model.Text, at time.Time) model.CutRecord {
	record := extendRecord(old, known, c, at)
	if !known {
		record.Networks = slices.DeleteFunc(record.Networks, func(n model.CutNetwork) bool { return book.allowlist(n.Name) })
	}
	record.Onto, record.Complete = onto, false
	return record
}

// givesBack reports whether a record holds a network but the one that the
// container is on.
func givesBack(record model.CutRecord) bool {
	return slices.ContainsFunc(record.Networks, func(n model.CutNetwork) bool { return n.Name != record.Onto })
}

// newRecord is what a container is attached to, as far as it can be given back:
// the engine connects nothing to the host's network.
func newRecord(c model.Container, at time.Time) model.CutRecord {
	record := model.CutRecord{Name: c.Name, CutAt: at.UTC()}
	for _, e := range connections(c) {
		if e.Network.Raw() == hostNetwork {
			continue
		}
		record.Networks = append(record.Networks, cutNetwork(c.ID, e))
	}
	return record
}

func cutNetwork(id model.ID, e model.Endpoint) model.CutNetwork {
	short := model.NewText(string(id[:12]))
	return model.CutNetwork{
		ID:         e.NetworkID,
		Name:       e.Network,
		StaticIPv4: e.StaticIPv4,
		StaticIPv6: e.StaticIPv6,
		Aliases:    slices.DeleteFunc(slices.Clone(e.Aliases), func(a model.Text) bool { return a == short }),
		DriverOpts: e.DriverOpts,
	}
}

// endpointConfig is what a connect gives to get an endpoint back as it was. The
// default bridge takes no settings.
func endpointConfig(n model.CutNetwork) *network.EndpointSettings {
	if n.Name.Raw() == bridgeNetwork {
		return nil
	}
	config := &network.EndpointSettings{}
	for _, alias := range n.Aliases {
		config.Aliases = append(config.Aliases, alias.Raw())
	}
	for key, value := range n.DriverOpts {
		if config.DriverOpts == nil {
			config.DriverOpts = make(map[string]string, len(n.DriverOpts))
		}
		config.DriverOpts[key.Raw()] = value.Raw()
	}
	v4, err4 := netip.ParseAddr(n.StaticIPv4.Raw())
	v6, err6 := netip.ParseAddr(n.StaticIPv6.Raw())
	if err4 == nil || err6 == nil {
		config.IPAMConfig = &network.EndpointIPAMConfig{IPv4Address: v4, IPv6Address: v6}
	}
	return config
}
