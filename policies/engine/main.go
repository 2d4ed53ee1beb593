//go:build js && wasm

// OPA for the gateway's Rego files, as one WebAssembly module. The host calls two functions of the global object
// `regoEngine`, texts in and JSON out:
//
//	compile(request) -> {"set": {rules, inputs}} or {"failures": […]}     replaces the loaded set
//	evaluate(input, limitMs) -> {"results": […]} or {"failure": {…}}
package main

import (
	"encoding/json"
	"syscall/js"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
)

var loaded *policySet

func main() {
	js.Global().Set("regoEngine", js.ValueOf(map[string]any{
		"compile": js.FuncOf(func(_ js.Value, args []js.Value) any {
			return guarded(func() map[string]any { return load(args[0].String()) })
		}),
		"evaluate": js.FuncOf(func(_ js.Value, args []js.Value) any {
			return guarded(func() map[string]any { return judge(args[0].String(), args[1].Int()) })
		}),
	}))
	select {}
}

func load(request string) map[string]any {
	var wanted compileRequest
	if err := json.Unmarshal([]byte(request), &wanted); err != nil {
		return map[string]any{"failures": []failure{{Code: "request_error", Message: err.Error()}}}
	}
	set, facts, failures := compile(wanted)
	if failures != nil {
		return map[string]any{"failures": failures}
	}
	loaded = set
	return map[string]any{"set": facts}
}

func judge(text string, limitMs int) map[string]any {
	if loaded == nil {
		return map[string]any{"failure": failure{Code: "request_error", Message: "no policy set is loaded"}}
	}
	var input *ast.Term
	if text != "" {
		parsed, err := parseInput(text)
		if err != nil {
			return map[string]any{"failure": failure{Code: "input_error", Message: err.Error()}}
		}
		input = parsed
	}
	results, failed := loaded.evaluate(input, time.Duration(limitMs)*time.Millisecond)
	if failed != nil {
		return map[string]any{"failure": failed}
	}
	return map[string]any{"results": results}
}

// guarded always answers in JSON: a panic is a failure that denies, and does not end the engine.
func guarded(work func() map[string]any) (reply string) {
	defer func() {
		if caught := recover(); caught != nil {
			reply = `{"failure":{"code":"engine_panic","message":"the policy engine broke off"}}`
		}
	}()
	text, err := json.Marshal(work())
	if err != nil {
		return `{"failure":{"code":"result_error","message":"the result is not JSON"}}`
	}
	return string(text)
}
