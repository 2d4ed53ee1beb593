package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"CLIENT_MODULE"
	"CLIENT_MODULE/option"
)

func main() {
	options := []option.RequestOption{
		option.WithBaseURL(os.Getenv("BASE_URL")),
		option.WithAPIKey(os.Getenv("API_KEY")),
	}
	for name, value := range headers() {
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
	tell(calls, func(failed *anthropic.Error) (int, http.Header) {
		return failed.StatusCode, failed.Response.Header
	})
}
