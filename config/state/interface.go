package state

const interfaceName = "interface.json"

// Interface is what the dashboard remembers of how it was left. Zero values
// mean that nothing was chosen.
type Interface struct {
	Sort       string   `json:"sort"`
	Descending bool     `json:"descending"`
	Group      string   `json:"group"`
	Columns    []string `json:"columns"`
	Wide       bool     `json:"wide"`
	Theme      string   `json:"theme"`
}

// Interface returns what was remembered; the zero value when there is nothing,
// or, with the error, when the file is damaged.
func (s *State) Interface() (Interface, error) {
	var remembered Interface
	if err := s.Load(interfaceName, &remembered); err != nil {
		return Interface{}, err
	}
	return remembered, nil
}

// SaveInterface remembers how the dashboard was left. Of several instances the
// last to quit wins.
func (s *State) SaveInterface(left Interface) error { return s.Save(interfaceName, left) }
