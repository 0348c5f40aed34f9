package dockerx

import (
	"fmt"

	"hermes-sandbox/model"
)

// decodeNetworks reads the body of a network list. A row that is no network at
// all is counted, not kept.
func decodeNetworks(data []byte) (networks []model.Network, unreadable int, err error) {
	rows, err := decodeRows(data)
	if err != nil {
		return nil, 0, err
	}
	for _, raw := range rows {
		row, err := newRow(raw)
		if err != nil {
			unreadable++
			continue
		}
		networks = append(networks, networkOf(row))
	}
	return networks, unreadable, nil
}

// decodeNetwork reads the body of a network inspect.
func decodeNetwork(data []byte) (model.Network, error) {
	row, err := newObject(data)
	if err != nil {
		return model.Network{}, err
	}
	return networkOf(row), nil
}

// networkOf reads one network. Whatever decides how open it is must be of the
// right type; else the network carries an error and counts as unknown.
func networkOf(row object) model.Network {
	n := model.Network{
		ID: row.str("Id"), Name: row.text("Name"), Driver: row.text("Driver"), Internal: row.boolean("Internal"),
		Options: model.Labels(row.textMap("Options")), Labels: model.Labels(row.textMap("Labels")),
	}
	for _, config := range row.child("IPAM").children("Config") {
		if gateway := config.text("Gateway"); !gateway.Empty() {
			n.Gateways = append(n.Gateways, gateway)
		}
	}
	members := row.child("Containers")
	if members.fields != nil {
		n.Containers = make(map[model.ID]model.Text, len(members.fields))
	}
	for _, member := range members.members() {
		id := string(member.name)
		n.Containers[model.ID(id)] = members.childOf(id, member.raw).text("Name")
	}
	if problem := row.problem(); problem != "" {
		return model.Network{ID: n.ID, Name: n.Name, Error: problem}
	}
	if n.ID == "" && n.Name.Empty() {
		n.Error = "it has neither an ID nor a name"
	} else if n.Driver.Empty() {
		n.Error = fmt.Sprintf("network %s has no driver", n.Name.Display())
	}
	return n
}
