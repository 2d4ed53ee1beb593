package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"CLIENT_MODULE"
)

func main() {
	headers := map[string]string{}
	json.Unmarshal([]byte(os.Getenv("HEADERS")), &headers)
	own := http.Header{}
	for name, value := range headers {
		own.Set(name, value)
	}
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey:      os.Getenv("API_KEY"),
		Backend:     genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: os.Getenv("BASE_URL"), Headers: own},
	})
	if err != nil {
		panic(err)
	}
	limited := &genai.GenerateContentConfig{MaxOutputTokens: 200}
	calls := map[string]func() (any, error){
		"plain": func() (any, error) {
			answer, err := client.Models.GenerateContent(context.Background(), "gemini-2.0-flash", genai.Text("say something"), limited)
			if err != nil {
				return nil, err
			}
			return []any{answer.Candidates, answer.UsageMetadata}, nil
		},
		"stream": func() (any, error) {
			chunks := []any{}
			for chunk, err := range client.Models.GenerateContentStream(context.Background(), "gemini-2.0-flash", genai.Text("say something"), limited) {
				if err != nil {
					return nil, err
				}
				chunks = append(chunks, []any{chunk.Candidates, chunk.UsageMetadata})
			}
			return chunks, nil
		},
	}
	for _, name := range strings.Fields(os.Getenv("CALLS")) {
		value, err := calls[name]()
		told := map[string]any{"value": value}
		var failed genai.APIError
		if errors.As(err, &failed) {
			told = map[string]any{"error": map[string]any{
				"type": "APIError", "message": failed.Error(), "status": failed.Code,
			}}
		} else if err != nil {
			told = map[string]any{"error": map[string]any{"type": fmt.Sprintf("%T", err), "message": err.Error()}}
		}
		outcome, _ := json.Marshal(told)
		fmt.Printf("{\"call\":%q,%s\n", name, outcome[1:])
	}
}
