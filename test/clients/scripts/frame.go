package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// Headers of the endpoint.
func headers() map[string]string {
	own := map[string]string{}
	json.Unmarshal([]byte(os.Getenv("HEADERS")), &own)
	return own
}

// Makes the requested calls and prints their results. E is the client's own error, which has a status and may have the
// headers.
func tell[E error](calls map[string]func() (any, error), answerOf func(E) (int, http.Header)) {
	for _, name := range strings.Fields(os.Getenv("CALLS")) {
		value, err := calls[name]()
		told := map[string]any{"value": value}
		var failed E
		if errors.As(err, &failed) {
			status, headers := answerOf(failed)
			said := map[string]any{"type": "Error", "message": failed.Error(), "status": status}
			if gatewayType := headers.Get("X-Gateway-Error-Type"); gatewayType != "" {
				said["gatewayType"] = gatewayType
			}
			told = map[string]any{"error": said}
		} else if err != nil {
			told = map[string]any{"error": map[string]any{"type": fmt.Sprintf("%T", err), "message": err.Error()}}
		}
		outcome, _ := json.Marshal(told)
		fmt.Printf("{\"call\":%q,%s\n", name, outcome[1:])
	}
}
