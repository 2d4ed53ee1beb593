package main

import (
	"context"
	"net/http"
	"os"

	"CLIENT_MODULE"
)

func main() {
	own := http.Header{}
	for name, value := range headers() {
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
	tell(calls, func(failed genai.APIError) (int, http.Header) { return failed.Code, nil })
}
