package main

import "time"

// deadline ends an evaluation from inside. WebAssembly has only one thread, so nothing else can do so: between its
// steps, OPA asks whether it was cancelled, and the clock answers.
type deadline struct {
	at      time.Time
	asked   uint
	expired bool
}

func newDeadline(limit time.Duration) *deadline { return &deadline{at: time.Now().Add(limit)} }

func (d *deadline) Cancel() { d.expired = true }

// Cancelled reads the clock at every 64th call, since reading it costs more than a step.
func (d *deadline) Cancelled() bool {
	d.asked++
	if d.asked%64 == 0 && time.Now().After(d.at) {
		d.expired = true
	}
	return d.expired
}
