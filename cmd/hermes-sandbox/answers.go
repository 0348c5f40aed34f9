package main

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// How long a terminal's answers to the questions asked at the start may take,
// and how long a person who quits or suspends before that is held back for them.
const (
	answersDue  = 2 * time.Second
	answersWait = 200 * time.Millisecond
)

// quitNow stands for a quit that is not to be held back.
type quitNow struct{}

// holdQuit returns a filter of messages that holds an early quit back for a
// moment: answers that come after the program would be typed into the shell.
func holdQuit(now func() time.Time, send func(tea.Msg)) func(tea.Model, tea.Msg) tea.Msg {
	begun := now()
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		switch msg.(type) {
		case tea.QuitMsg:
			if now().Sub(begun) < answersDue {
				time.AfterFunc(answersWait, func() { send(quitNow{}) })
				return nil
			}
		case quitNow:
			return tea.QuitMsg{}
		}
		return msg
	}
}
