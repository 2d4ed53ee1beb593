package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// In OPA, an invalid pattern makes its expression undefined, so a rule that denies by it would silently deny nothing.
// Here, a policy with such a pattern does not load. A pattern that is only known at evaluation ends the evaluation;
// with strict errors of functions, OPA itself ends it.

// regexArguments is the index of the argument that is a regular expression, by function.
var regexArguments = map[string]int{
	"regex.match": 0, "regex.split": 0, "regex.find_n": 0, "regex.find_all_string_submatch_n": 0, "regex.replace": 1,
	"re_match": 0,
}

// patternFunctions are the prefixes of error messages about patterns.
var patternFunctions = []string{"regex.", "re_match", "glob.match"}

// brokenPatterns returns the invalid regular expressions in calls.
func brokenPatterns(modules map[string]*ast.Module) []failure {
	var failures []failure
	for _, module := range modules {
		ast.WalkExprs(module, func(expr *ast.Expr) bool {
			if broken := brokenPattern(expr); broken != nil {
				failures = append(failures, *broken)
			}
			return false
		})
	}
	slices.SortFunc(failures, func(a, b failure) int { return strings.Compare(a.File, b.File) })
	return failures
}

func brokenPattern(expr *ast.Expr) *failure {
	if !expr.IsCall() {
		return nil
	}
	argument, known := regexArguments[expr.Operator().String()]
	if !known || argument >= len(expr.Operands()) {
		return nil
	}
	pattern, isText := expr.Operand(argument).Value.(ast.String)
	if !isText {
		return nil
	}
	if _, err := regexp.Compile(string(pattern)); err != nil {
		broken := failureOf(ast.NewError("rego_pattern_error", expr.Location, "%s", err.Error()), "")
		return &broken
	}
	return nil
}

// patternError returns the first error about a pattern among those that did not end the evaluation.
func patternError(ignored []topdown.Error) error {
	for i := range ignored {
		isPattern := func(name string) bool { return strings.HasPrefix(ignored[i].Message, name) }
		if ignored[i].Code == topdown.BuiltinErr && slices.ContainsFunc(patternFunctions, isPattern) {
			return &ignored[i]
		}
	}
	return nil
}
