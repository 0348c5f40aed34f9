package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"hermes-sandbox/config/edit"
	"hermes-sandbox/model"
)

// backupsFolder is where, in the state folder, configuration files are kept as
// they were before an edit.
const backupsFolder = "backups"

// prepare reads the configuration files that a plan edits and fills in the
// value there is, the difference and what the contents were. An edit that
// cannot be made is refused with the reason, and so is what waits for it.
// Nothing is written.
func (w *workspace) prepare(ctx context.Context, plan model.Plan) model.Plan {
	plan.Config = append([]model.ConfigEdit(nil), plan.Config...)
	plan.Targets = append([]model.Target(nil), plan.Targets...)
	w.checkEgress(ctx, &plan)
	plan.Withhold()
	for _, rows := range rowsByFile(plan.Config) {
		whole, err := fold(rows, filepath.Join(w.stateDir, backupsFolder))
		for i, row := range rows {
			switch {
			case err != nil:
				row.Outcome, row.Error = model.OutcomeRefused, errorLine(err)
				continue
			case !whole.changes[i]:
				row.From, row.Outcome = whole.froms[i], model.OutcomeSkipped
				continue
			}
			row.Digest, row.Backup = digestOf(whole.Before), whole.BackupName()
			if !row.Undo && row.Key != model.ExtraArgsKey {
				row.From = whole.froms[i]
			}
		}
		showDiff(rows, whole)
	}
	plan.Withhold()
	return plan
}

// showDiff puts the difference that the edits of a file make together on the
// first of them.
func showDiff(rows []*model.ConfigEdit, whole folded) {
	for _, row := range rows {
		if row.Outcome == model.OutcomePlanned {
			row.Diff = whole.Diff
			return
		}
	}
}

func orAbsent(written string) string {
	if written == "" {
		return "absent"
	}
	return written
}

func digestOf(contents []byte) string {
	sum := sha256.Sum256(contents)
	return hex.EncodeToString(sum[:])
}

// refusedEdit tells an edit that was not made, because the file is another than
// the one shown, from one that failed.
func refusedEdit(err error) bool {
	return errors.Is(err, edit.ErrChanged) || errors.Is(err, edit.ErrShape) || errors.Is(err, edit.ErrUnparsable) ||
		errors.Is(err, os.ErrPermission)
}
