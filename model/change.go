package model

// ChangeKind is how a file differs from the image, by docker diff's letter.
type ChangeKind string

// Kinds of changes.
const (
	FileModified ChangeKind = "C"
	FileAdded    ChangeKind = "A"
	FileDeleted  ChangeKind = "D"
)

// Change is a file of a container that differs from its image.
type Change struct {
	Kind ChangeKind
	Path Text
}
