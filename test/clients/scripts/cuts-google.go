package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"google.golang.org/genai"
)

// Makes one stream and prints its text.
func google() (string, error) {
	ctx := context.Background()
	options := genai.HTTPOptions{BaseURL: os.Getenv("BASE_URL") + "/"}
	config := &genai.ClientConfig{APIKey: os.Getenv("API_KEY"), Backend: genai.BackendGeminiAPI, HTTPOptions: options}
	client, err := genai.NewClient(ctx, config)
	if err != nil {
		return "", err
	}
	said := ""
	for chunk, err := range client.Models.GenerateContentStream(ctx, "gemini-2.0-flash", genai.Text("say something"), nil) {
		if err != nil {
			return said, err
		}
		for _, part := range chunk.Candidates[0].Content.Parts {
			said += part.Text
		}
	}
	return said, nil
}

func main() {
	outcome := map[string]any{"call": "google"}
	if said, err := google(); err != nil {
		outcome["error"] = map[string]any{"type": fmt.Sprintf("%T", err), "message": err.Error()}
	} else {
		outcome["value"] = said
	}
	line, _ := json.Marshal(outcome)
	fmt.Println(string(line))
}
