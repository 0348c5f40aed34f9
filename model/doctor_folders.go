package model

import (
	"fmt"
	"path"
	"strings"
)

// folders looks for sandbox folders that no container binds. Hermes never
// deletes one (#44114). Nothing is said while some engine's containers are not
// known, since one of them may bind any of the folders.
func (d *doctor) folders() {
	if len(d.in.Folders) == 0 {
		return
	}
	bound := map[string]bool{}
	for i := range d.fleet.Engines {
		engine := &d.fleet.Engines[i]
		inventory := d.inventory(engine.Name)
		if engine.State != Live || inventory == nil || inventory.Failure != nil {
			d.add(DiagnosisInfo, "folders-unjudged", engineSubject(engine.Name),
				"its containers are not known, so unused sandbox folders cannot be told", "run the check again once the engine answers")
			return
		}
		for n := range inventory.Containers {
			addSources(bound, &inventory.Containers[n])
		}
	}
	for i := range d.fleet.Sandboxes {
		addSources(bound, d.fleet.Sandboxes[i].Container)
	}
	for i := range d.in.Folders {
		folder := &d.in.Folders[i]
		if !binds(bound, folder.Path) && !binds(bound, folder.RealPath) && (len(d.in.Profiles) == 0 || d.coversHome(folder.Home)) {
			d.unusedFolder(folder)
		}
	}
}

// addSources adds the host paths a container binds, and every folder above one.
func addSources(bound map[string]bool, c *Container) {
	for _, mount := range hostMounts(c) {
		for source := cleanPath(mount.Source.Raw()); source != "" && source != "/" && !bound[source]; source = path.Dir(source) {
			bound[source] = true
		}
	}
}

// binds reports whether a folder, or something in it, is bound.
func binds(bound map[string]bool, folder string) bool {
	folder = cleanPath(folder)
	return folder != "" && bound[folder]
}

func (d *doctor) unusedFolder(folder *SandboxFolder) {
	subject := "folder " + NewText(folder.Path).Display()
	detail := "no container binds it; "
	switch {
	case folder.Link:
		detail += "it is a symbolic link and was not followed"
	case folder.SizeKnown:
		detail += "it holds " + byteSize(folder.Size)
	default:
		detail += "its size is not known: " + folder.SizeProblem
	}
	if task := d.standingTask(folder); task != "" {
		d.add(DiagnosisInfo, "folder-waiting", subject, detail+"; the next sandbox for task "+NewText(task).Display()+" uses it again", "keep it")
		return
	}
	d.add(DiagnosisInfo, "folder-unused", subject, detail, "look through it, then delete it if nothing in it is wanted; Hermes never does")
}

// standingTask returns the task a folder is for when that is one every process
// of the profile comes back to, else "". The folder's name tells it, since it is
// made from the whole task ID and a label is not (contract 1.4).
func (d *doctor) standingTask(folder *SandboxFolder) string {
	tasks := []string{defaultTask}
	if p := profileAt(folder.Home, d.fleet.Profiles); p != nil {
		tasks = append(tasks, "profile:"+p.Name.Raw())
		if key := sharedKey(p.Policy); key != "" {
			tasks = append(tasks, "shared:"+key)
		}
	}
	for _, task := range tasks {
		if folder.Name.Raw() == DirName(task) {
			return task
		}
	}
	return ""
}

// byteSize writes a number of bytes for a person.
func byteSize(size int64) string {
	const step = 1024
	if size < step {
		return plural(int(size), "byte", "bytes")
	}
	value, units := float64(size), strings.Fields("KiB MiB GiB TiB PiB EiB")
	unit := -1
	for value >= step && unit < len(units)-1 {
		value /= step
		unit++
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}
