package main

import "time"

// deadline ends an evaluation from inside. WebAssembly has one thread, so nothing else can: OPA asks between its
// steps whether it was cancelled, and the clock answers.
type deadline struct {
	at      time.Time
	asked   uint
	expired bool
}

func newDeadline(limit time.Duration) *deadline { return &deadline{at: time.Now().Add(limit)} }

func (d *deadline) Cancel() { d.expired = true }

// Cancelled looks at the clock at every 64th question: reading it costs more than a step.
func (d *deadline) Cancelled() bool {
	d.asked++
	if d.asked%64 == 0 && time.Now().After(d.at) {
		d.expired = true
	}
	return d.expired
}
