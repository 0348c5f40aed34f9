package state

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"

	"hermes-sandbox/config/safefile"
	"hermes-sandbox/model"
)

// secure checks that a folder is a folder, no link to one, and belongs to the
// user or, as those of an elevated user do, to the administrators. What others
// may do in it follows from the access list of the folder above.
func secure(dir string) error {
	shown := model.NewText(dir).Display()
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at state folder: %w", safefile.Display(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("%w: %s is not a folder", ErrUnsafe, shown)
	}
	security, err := windows.GetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("look at the owner of the state folder: %w", err)
	}
	owner, _, err := security.Owner()
	if err != nil {
		return fmt.Errorf("look at the owner of the state folder: %w", err)
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("look at the user of this process: %w", err)
	}
	if !owner.Equals(user.User.Sid) && !owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) {
		return fmt.Errorf("%w: %s belongs to %s; set XDG_STATE_HOME to a folder of your own", ErrUnsafe, shown, owner)
	}
	return nil
}
