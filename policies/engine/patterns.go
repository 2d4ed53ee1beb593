package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// A pattern that is none makes its expression undefined in OPA, so a rule that denies by it would deny nothing, and
// nobody would know. Here it does not load; one that is known only at evaluation ends that. Under strict errors of
// functions OPA itself ends the evaluation.

// regexArguments says which argument of a function is a regular expression.
var regexArguments = map[string]int{
	"regex.match": 0, "regex.split": 0, "regex.find_n": 0, "regex.find_all_string_submatch_n": 0, "regex.replace": 1,
	"re_match": 0,
}

// patternFunctions begin the messages of errors that are about a pattern.
var patternFunctions = []string{"regex.", "re_match", "glob.match"}

// brokenPatterns are the regular expressions written into calls that are none.
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

// patternError is the first of the errors that OPA went on from which is about a pattern.
func patternError(ignored []topdown.Error) error {
	for i := range ignored {
		isPattern := func(name string) bool { return strings.HasPrefix(ignored[i].Message, name) }
		if ignored[i].Code == topdown.BuiltinErr && slices.ContainsFunc(patternFunctions, isPattern) {
			return &ignored[i]
		}
	}
	return nil
}
