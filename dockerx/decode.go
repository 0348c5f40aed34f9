package dockerx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hermes-sandbox/model"
)

// object is one JSON object of an answer whose fields are read one by one. A
// field that is missing or null is zero; one of another type is zero, too, and
// is named in oddities. So no field can fail a row, and no row a list.
type object struct {
	fields []field // nil: there is no object
	path   string
	*reading
}

// reading is what the objects of one row share: a store of their fields, so that
// each needs none of its own, and what was odd about them.
type reading struct {
	store    []field
	oddities []string
}

// errNotObject is a value that should have been a JSON object.
var errNotObject = errors.New("no JSON object")

// newObject reads the outer object of a row.
func newObject(data []byte) (object, error) {
	if !json.Valid(data) {
		return object{}, fmt.Errorf("%w: %s", errNotObject, safe(syntaxError(data).Error()))
	}
	return newRow(data)
}

// syntaxError is why data is no JSON.
func syntaxError(data []byte) error {
	var whole json.RawMessage
	return json.Unmarshal(data, &whole) //nolint:wrapcheck // its words are all that is wanted
}

// newRow is newObject for what is known to be valid JSON.
func newRow(data []byte) (object, error) { return new(reading).row(data) }

// row begins the reading of a row, in the place of the last one, whose objects
// must not be used any more.
func (r *reading) row(data []byte) (object, error) {
	r.store, r.oddities = r.store[:0], nil
	out := object{reading: r}
	var ok bool
	if out.fields, ok = r.split(data); !ok {
		return out, fmt.Errorf("%w but %s", errNotObject, kindOf(bytes.TrimSpace(data)))
	}
	return out, nil
}

// decodeRows splits a body into the rows of its array. A body that is no array
// at all, or breaks off, fails as a whole: what it holds is not the list.
func decodeRows(data []byte) ([][]byte, error) {
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 || trimmed[0] != '[' {
		return nil, fmt.Errorf("the answer is no list but %s", kindOf(trimmed))
	}
	if !json.Valid(trimmed) {
		return nil, fmt.Errorf("the list cannot be read: %s", safe(syntaxError(trimmed).Error()))
	}
	rows, _ := splitList(trimmed)
	return rows, nil
}

// kindOf names a JSON value's kind for a person.
func kindOf(data []byte) string {
	if len(data) == 0 {
		return "empty"
	}
	switch data[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case '<':
		return "a web page"
	case 'n':
		return "null"
	case 't', 'f':
		return "a truth value"
	default:
		return "something else"
	}
}

// problem is what was odd about a row; empty when nothing was.
func (o object) problem() string {
	if len(o.oddities) == 0 {
		return ""
	}
	const limit = 5
	list := o.oddities
	if len(list) > limit {
		return fmt.Sprintf("fields of another type than expected: %s and %d more", strings.Join(list[:limit], ", "), len(list)-limit)
	}
	return "fields of another type than expected: " + strings.Join(list, ", ")
}

func (o object) odd(key string) {
	o.oddities = append(o.oddities, safe(o.path+key))
}

// raw returns a field's value; nil when it is missing or null. Of a field that
// is there several times the last one counts.
func (o object) raw(key string) []byte {
	for i := len(o.fields) - 1; i >= 0; i-- {
		if string(o.fields[i].name) == key {
			if isNull(o.fields[i].raw) {
				return nil
			}
			return o.fields[i].raw
		}
	}
	return nil
}

func isNull(raw []byte) bool { return string(bytes.TrimSpace(raw)) == "null" }

// read decodes one field into target and reports whether it was there.
func (o object) read(key string, target any) bool {
	raw := o.raw(key)
	if raw == nil {
		return false
	}
	if json.Unmarshal(raw, target) != nil {
		o.odd(key)
		return false
	}
	return true
}

// has reports whether a field is there and not null.
func (o object) has(key string) bool { return o.raw(key) != nil }

func (o object) str(key string) string { return o.strOf(key, o.raw(key)) }

// strOf reads the value of a field as a string.
func (o object) strOf(key string, raw []byte) string {
	switch {
	case raw == nil:
		return ""
	case raw[0] != '"':
		o.odd(key)
		return ""
	default:
		return string(textBytes(raw))
	}
}

func (o object) text(key string) model.Text { return model.NewText(o.str(key)) }

func (o object) boolean(key string) bool {
	var value bool
	return o.read(key, &value) && value
}

// integer reads a whole number. Numbers with a fraction are cut, numbers that
// do not fit are odd.
func (o object) integer(key string) int64 {
	raw := o.raw(key)
	if raw == nil {
		return 0
	}
	if value, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return value
	}
	value, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || value > 1<<62 || value < -1<<62 {
		o.odd(key)
		return 0
	}
	return int64(value)
}

// child returns an object in a field, an empty one when there is none.
func (o object) child(key string) object { return o.childOf(key, o.raw(key)) }

// childOf reads the value of a field as an object.
func (o object) childOf(key string, raw []byte) object {
	out := object{path: o.path + key + ".", reading: o.reading}
	if raw == nil || isNull(raw) {
		return out
	}
	var ok bool
	if out.fields, ok = o.split(raw); !ok {
		o.odd(key)
	}
	return out
}

// members sorts the fields by name and returns each name's last one.
func (o object) members() []field {
	slices.SortStableFunc(o.fields, func(a, b field) int { return bytes.Compare(a.name, b.name) })
	for i := 1; i < len(o.fields); i++ {
		if bytes.Equal(o.fields[i-1].name, o.fields[i].name) {
			last := slices.Clone(o.fields)
			slices.Reverse(last)
			last = slices.CompactFunc(last, func(a, b field) bool { return bytes.Equal(a.name, b.name) })
			slices.Reverse(last)
			return last
		}
	}
	return o.fields
}

// list returns the items of a list in a field.
func (o object) list(key string, raw []byte) [][]byte {
	if raw == nil || isNull(raw) {
		return nil
	}
	items, ok := splitList(raw)
	if !ok {
		o.odd(key)
	}
	return items
}

// children returns the objects of a list.
func (o object) children(key string) []object { return o.childrenOf(key, o.raw(key)) }

// childrenOf reads the value of a field as a list of objects.
func (o object) childrenOf(key string, raw []byte) []object {
	items := o.list(key, raw)
	out := make([]object, 0, len(items))
	for i, item := range items {
		if isNull(item) {
			continue
		}
		fields, ok := o.split(item)
		if !ok {
			o.odd(fmt.Sprintf("%s[%d]", key, i))
			continue
		}
		out = append(out, object{fields: fields, path: fmt.Sprintf("%s%s[%d].", o.path, key, i), reading: o.reading})
	}
	return out
}

// texts reads a list of strings; a single string counts as a list of one, as
// some engines write it.
func (o object) texts(key string) []model.Text {
	raw := o.raw(key)
	if raw == nil {
		return nil
	}
	if raw[0] == '"' {
		return []model.Text{o.text(key)}
	}
	items, ok := splitList(raw)
	if !ok {
		o.odd(key)
		return nil
	}
	out := make([]model.Text, 0, len(items))
	for i, item := range items {
		switch {
		case isNull(item):
			out = append(out, model.Text{})
		case item[0] != '"':
			o.odd(fmt.Sprintf("%s[%d]", key, i))
		default:
			out = append(out, model.NewText(string(textBytes(item))))
		}
	}
	return out
}

// textMap reads an object of strings, such as labels; nil when it is absent.
func (o object) textMap(key string) map[model.Text]model.Text {
	inner := o.child(key)
	if inner.fields == nil {
		return nil
	}
	out := make(map[model.Text]model.Text, len(inner.fields))
	for _, member := range inner.members() {
		name := string(member.name)
		out[model.NewText(name)] = model.NewText(inner.strOf(name, nonNull(member.raw)))
	}
	return out
}

// nonNull is nil for null.
func nonNull(raw []byte) []byte {
	if isNull(raw) {
		return nil
	}
	return raw
}

// stamp reads a time in RFC 3339 form. The engine's "never" is the zero time.
func (o object) stamp(key string) model.Stamp {
	text := o.str(key)
	if text == "" {
		return model.Stamp{}
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return model.Stamp{Problem: fmt.Sprintf("%s is no time: \"%s\"", key, safe(text))}
	}
	if at.Year() <= 1 {
		return model.Stamp{}
	}
	return model.Stamp{Time: at.UTC()}
}
