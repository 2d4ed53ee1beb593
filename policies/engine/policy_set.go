package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// unsafeBuiltins access the network, host names or the environment of the host.
var unsafeBuiltins = map[string]bool{"http.send": true, "net.lookup_ip_addr": true, "opa.runtime": true}

const maxMessageBytes = 1_000

// source is one policy file, as read by the gateway.
type source struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// compileRequest is the input of a policy set: its files, one query over them, and static data.
type compileRequest struct {
	Files  []source       `json:"files"`
	Query  string         `json:"query"`
	Data   map[string]any `json:"data"`
	Strict bool           `json:"strict_builtin_errors"`
}

// failure is one error with its position in a file. Row and column start at 1; 0 means no position.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	File    string `json:"file,omitempty"`
	Row     int    `json:"row,omitempty"`
	Column  int    `json:"column,omitempty"`
}

// rule is the name of a rule and its package, both as dotted paths without `data`. If a file has several rules of one
// name, the first row counts.
type rule struct {
	Package string `json:"package"`
	Name    string `json:"name"`
	File    string `json:"file"`
	Row     int    `json:"row"`
	Count   int    `json:"count"`
}

// compiled describes a set: its rules, and the paths of the input that it reads (an empty path means all of it).
type compiled struct {
	Rules  []rule     `json:"rules"`
	Inputs [][]string `json:"inputs"`
}

// policySet is a compiled set, ready to judge inputs one after another.
type policySet struct {
	compiler *ast.Compiler
	query    ast.Body
	store    storage.Store
	strict   bool
}

// capabilities are those of this OPA version without the unsafe built-ins.
func capabilities() *ast.Capabilities {
	all := ast.CapabilitiesForThisVersion()
	all.Builtins = slices.DeleteFunc(all.Builtins, func(b *ast.Builtin) bool { return unsafeBuiltins[b.Name] })
	all.AllowNet = []string{}
	return all
}

// compile returns a set of all files, or all errors.
func compile(request compileRequest) (*policySet, compiled, []failure) {
	allowed := capabilities()
	modules := make(map[string]*ast.Module, len(request.Files))
	var failures []failure
	for _, file := range request.Files {
		module, err := parse(file, allowed)
		if err != nil {
			failures = append(failures, failuresOf(err, file.Name)...)
			continue
		}
		modules[file.Name] = module
	}
	if len(failures) > 0 {
		return nil, compiled{}, failures
	}
	compiler := ast.NewCompiler().WithCapabilities(allowed)
	if compiler.Compile(modules); compiler.Failed() {
		return nil, compiled{}, failuresOf(compiler.Errors, "")
	}
	if broken := brokenPatterns(compiler.Modules); broken != nil && !request.Strict {
		return nil, compiled{}, broken
	}
	body, err := ast.ParseBody(request.Query)
	if err == nil {
		body, err = compiler.QueryCompiler().Compile(body)
	}
	if err != nil {
		return nil, compiled{}, failuresOf(err, "")
	}
	store := inmem.New()
	if request.Data != nil {
		store = inmem.NewFromObject(request.Data)
	}
	set := &policySet{compiler: compiler, query: body, store: store, strict: request.Strict}
	return set, compiled{Rules: rulesOf(modules), Inputs: inputsOf(compiler, body)}, nil
}

// parse reads a file as Rego v1 or, failing that, as v0. If both fail, it returns the errors of the closer version.
func parse(file source, allowed *ast.Capabilities) (*ast.Module, error) {
	if strings.TrimSpace(file.Text) == "" {
		return nil, fmt.Errorf("the file is empty")
	}
	module, v1 := parseAs(file, allowed, ast.RegoV1)
	if v1 == nil {
		return module, nil
	}
	module, v0 := parseAs(file, allowed, ast.RegoV0)
	if v0 == nil {
		return module, nil
	}
	if firstRow(v0) > firstRow(v1) {
		return nil, v0
	}
	return nil, v1
}

func parseAs(file source, allowed *ast.Capabilities, version ast.RegoVersion) (*ast.Module, error) {
	return ast.ParseModuleWithOpts(file.Name, file.Text, ast.ParserOptions{
		Capabilities: allowed, RegoVersion: version, ProcessAnnotation: true,
	})
}

func firstRow(err error) int {
	found := failuresOf(err, "")
	if len(found) == 0 {
		return 0
	}
	return found[0].Row
}

// failuresOf lists the single errors in an error of OPA.
func failuresOf(err error, file string) []failure {
	single, ok := err.(*ast.Error)
	if ok {
		return []failure{failureOf(single, file)}
	}
	if list, ok := err.(ast.Errors); ok {
		var all []failure
		for _, each := range list {
			all = append(all, failureOf(each, file))
		}
		return all
	}
	return []failure{{Code: "rego_error", Message: err.Error(), File: file}}
}

func failureOf(err *ast.Error, file string) failure {
	found := failure{Code: err.Code, Message: clipped(err.Message), File: file}
	if err.Location != nil {
		found.File, found.Row, found.Column = err.Location.File, err.Location.Row, err.Location.Col
	}
	return found
}

// clipped limits the size of a message that quotes a file, for the log.
func clipped(message string) string {
	if len(message) <= maxMessageBytes {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessageBytes], "") + "…"
}

// rulesOf returns the names of the rules of a set, as written.
func rulesOf(modules map[string]*ast.Module) []rule {
	counted := map[rule]*rule{}
	for file, module := range modules {
		pkg := strings.TrimPrefix(module.Package.Path.String(), "data.")
		for _, each := range module.Rules {
			one := rule{Package: pkg, Name: each.Head.Ref().GroundPrefix().String(), File: file}
			if counted[one] == nil {
				counted[one] = &rule{one.Package, one.Name, one.File, each.Location.Row, 0}
			}
			counted[one].Count++
		}
	}
	rules := make([]rule, 0, len(counted))
	for _, each := range counted {
		rules = append(rules, *each)
	}
	slices.SortFunc(rules, func(a, b rule) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Row-b.Row, strings.Compare(a.Name, b.Name))
	})
	return rules
}

// inputsOf returns the paths of the input that the compiled rules and the query read, each up to its first part that
// is only known at evaluation.
func inputsOf(compiler *ast.Compiler, query ast.Body) [][]string {
	seen := map[string][]string{}
	note := func(ref ast.Ref) bool {
		if ref.HasPrefix(ast.InputRootRef) {
			path := staticPath(ref)
			seen[strings.Join(path, "\x00")] = path
		}
		return false
	}
	for _, module := range compiler.Modules {
		ast.WalkRefs(module, note)
	}
	ast.WalkRefs(query, note)
	paths := [][]string{}
	for _, path := range seen {
		paths = append(paths, path)
	}
	slices.SortFunc(paths, slices.Compare[[]string])
	return paths
}

func staticPath(ref ast.Ref) []string {
	path := []string{}
	for _, part := range ref[1:] {
		text, ok := part.Value.(ast.String)
		if !ok {
			break
		}
		path = append(path, string(text))
	}
	return path
}

// evaluate returns the bindings of the query for one input, or the reason for their absence. It stops at the deadline
// wherever OPA checks for cancellation; everything else is ended from outside.
func (set *policySet) evaluate(input *ast.Term, limit time.Duration) ([]map[string]any, *failure) {
	ctx := context.Background()
	txn, err := set.store.NewTransaction(ctx)
	if err != nil {
		return nil, &failure{Code: "storage_error", Message: err.Error()}
	}
	defer set.store.Abort(ctx, txn)
	var ignored []topdown.Error
	results, err := topdown.NewQuery(set.query).WithCompiler(set.compiler).WithStore(set.store).WithTransaction(txn).
		WithInput(input).WithStrictBuiltinErrors(set.strict).WithBuiltinErrorList(&ignored).
		WithCancel(newDeadline(limit)).Run(ctx)
	if err == nil {
		err = patternError(ignored)
	}
	if err != nil {
		return nil, evaluationFailure(err)
	}
	rows := make([]map[string]any, 0, len(results))
	for _, result := range results {
		row := make(map[string]any, len(result))
		for name, term := range result {
			value, err := ast.JSONWithOpt(term.Value, ast.JSONOpt{SortSets: true})
			if err != nil {
				return nil, &failure{Code: "result_error", Message: err.Error()}
			}
			row[string(name)] = value
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func evaluationFailure(err error) *failure {
	found, ok := err.(*topdown.Error)
	if !ok {
		return &failure{Code: "eval_error", Message: err.Error()}
	}
	place := failure{Code: found.Code, Message: clipped(found.Error())}
	if found.Location != nil {
		place.File, place.Row, place.Column = found.Location.File, found.Location.Row, found.Location.Col
	}
	return &place
}

// parseInput reads a JSON input, with numbers as written.
func parseInput(text string) (*ast.Term, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	converted, err := ast.InterfaceToValue(value)
	if err != nil {
		return nil, err
	}
	return ast.NewTerm(converted), nil
}
