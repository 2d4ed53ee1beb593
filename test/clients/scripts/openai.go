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
		option.WithBaseURL(os.Getenv("BASE_URL") + "/v1"),
		option.WithAPIKey(os.Getenv("API_KEY")),
	}
	for name, value := range headers() {
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
	tell(calls, func(failed *openai.Error) (int, http.Header) {
		return failed.StatusCode, failed.Response.Header
	})
}
