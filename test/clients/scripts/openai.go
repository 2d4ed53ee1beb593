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
		option.WithBaseURL(os.Getenv("BASE_URL") + "/v1"),
		option.WithAPIKey(os.Getenv("API_KEY")),
	}
	headers := map[string]string{}
	json.Unmarshal([]byte(os.Getenv("HEADERS")), &headers)
	for name, value := range headers {
		options = append(options, option.WithHeader(name, value))
	}
	client := openai.NewClient(options...)
	params := openai.ChatCompletionNewParams{
		Model:     "gpt-4o",
		Messages:  []openai.ChatCompletionMessageParamUnion{openai.UserMessage("say something")},
		MaxTokens: openai.Int(200),
	}
	calls := map[string]func() (any, error){
		"plain": func() (any, error) {
			answer, err := client.Chat.Completions.New(context.Background(), params)
			if err != nil {
				return nil, err
			}
			return json.RawMessage(answer.RawJSON()), nil
		},
		"stream": func() (any, error) {
			stream := client.Chat.Completions.NewStreaming(context.Background(), params)
			chunks := []json.RawMessage{}
			for stream.Next() {
				chunk := stream.Current()
				chunks = append(chunks, json.RawMessage(chunk.RawJSON()))
			}
			return chunks, stream.Err()
		},
	}
	for _, name := range strings.Fields(os.Getenv("CALLS")) {
		value, err := calls[name]()
		told := map[string]any{"value": value}
		var failed *openai.Error
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
