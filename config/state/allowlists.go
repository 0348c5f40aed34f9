package state

import (
	"slices"

	"hermes-sandbox/model"
)

const allowlistsName = "allowlists.json"

// savedAllowlists is the file of allowlists: one record per configuration file.
type savedAllowlists struct {
	Profiles []savedAllowlist `json:"profiles"`
}

type savedAllowlist struct {
	File string `json:"file"`
	model.WrittenAllowlist
}

// Allowlists returns what was written for the allowlist position, by the
// configuration file it was written to.
func (s *State) Allowlists() (map[string]model.WrittenAllowlist, error) {
	var saved savedAllowlists
	if err := s.Load(allowlistsName, &saved); err != nil {
		return nil, err
	}
	records := make(map[string]model.WrittenAllowlist, len(saved.Profiles))
	for _, record := range saved.Profiles {
		records[record.File] = record.WrittenAllowlist
	}
	return records, nil
}

// SaveAllowlist keeps what was written to a configuration file, in place of an
// earlier record. The caller holds the lock.
func (s *State) SaveAllowlist(file string, written model.WrittenAllowlist) error {
	var saved savedAllowlists
	if err := s.Load(allowlistsName, &saved); err != nil {
		return err
	}
	saved.Profiles = slices.DeleteFunc(saved.Profiles, func(record savedAllowlist) bool { return record.File == file })
	saved.Profiles = append(saved.Profiles, savedAllowlist{File: file, WrittenAllowlist: written})
	return s.Save(allowlistsName, saved)
}
