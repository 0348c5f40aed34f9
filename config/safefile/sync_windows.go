package safefile

// SyncDir does nothing: folders cannot be synced here, and NTFS journals a
// rename itself.
func SyncDir(string) error { return nil }
