package state

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"hermes-sandbox/config/safefile"
)

func TestLockExcludesOtherInstances(t *testing.T) {
	first := open(t)
	second, err := Open(first.Path())
	if err != nil {
		t.Fatal(err)
	}
	unlock, err := first.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := second.Lock(ctx); !errors.Is(err, safefile.ErrLocked) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("second lock: %v", err)
	}
	unlock()
	unlock, err = second.Lock(t.Context())
	if err != nil {
		t.Fatalf("after the unlock: %v", err)
	}
	unlock()
}

func TestLockGivesUpWithACancelledContext(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Lock(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestLockKeepsReadChangeWriteWhole(t *testing.T) {
	s := open(t)
	const workers, rounds = 8, 5
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for range rounds {
				unlock, err := s.Lock(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				var n int
				if err := s.Load("n.json", &n); err != nil {
					t.Error(err)
				}
				if err := s.Save("n.json", n+1); err != nil {
					t.Error(err)
				}
				unlock()
			}
		})
	}
	group.Wait()
	var n int
	if err := s.Load("n.json", &n); err != nil || n != workers*rounds {
		t.Errorf("counted %d, error %v", n, err)
	}
}

func TestLockDoesNotFollowAPlantedLink(t *testing.T) {
	s := open(t)
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.Symlink(victim, filepath.Join(s.Path(), lockName)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lock(t.Context()); err == nil {
		t.Error("locked through a link")
	}
	if _, err := os.Lstat(victim); err == nil {
		t.Error("the link's target was made")
	}
}
