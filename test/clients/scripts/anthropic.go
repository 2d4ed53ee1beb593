package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"CLIENT_MODULE"
	"CLIENT_MODULE/option"
)

func main() {
	options := []option.RequestOption{
		option.WithBaseURL(os.Getenv("BASE_URL")),
		option.WithAPIKey(os.Getenv("API_KEY")),
	}
	headers := map[string]string{}
	json.Unmarshal([]byte(os.Getenv("HEADERS")), &headers)
	for name, value := range headers {
		options = append(options, option.WithHeader(name, value))
	}
	client := anthropic.NewClient(options...)
	params := anthropic.MessageNewParams{
		Model:     "claude-3-5-haiku-20241022",
		MaxTokens: 200,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("say something"))},
	}
	calls := map[string]func() (any, error){
		"plain": func() (any, error) {
			answer, err := client.Messages.New(context.Background(), params)
			if err != nil {
				return nil, err
			}
			return json.RawMessage(answer.RawJSON()), nil
		},
		"stream": func() (any, error) {
			stream := client.Messages.NewStreaming(context.Background(), params)
			events := []json.RawMessage{}
			for stream.Next() {
				event := stream.Current()
				events = append(events, json.RawMessage(event.RawJSON()))
			}
			return events, stream.Err()
		},
	}
	for _, name := range strings.Fields(os.Getenv("CALLS")) {
		value, err := calls[name]()
		told := map[string]any{"value": value}
		var failed *anthropic.Error
		if errors.As(err, &failed) {
			told = map[string]any{"error": map[string]any{
				"type": "Error", "message": failed.Error(), "status": failed.StatusCode,
			}}
		} else if err != nil {
			told = map[string]any{"error": map[string]any{"type": fmt.Sprintf("%T", err), "message": err.Error()}}
		}
		outcome, _ := json.Marshal(told)
		fmt.Printf("{\"call\":%q,%s\n", name, outcome[1:])
	}
}
