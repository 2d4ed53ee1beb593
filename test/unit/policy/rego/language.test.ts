import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRegoEngine, type RegoEngine } from '../../../../src/policy/rego/engine.ts';

/**
 * A piece of each part of the language, quickly; `npm run opa-suite` runs all of OPA's own cases. `is` is absent where
 * the expression is undefined.
 */
const CASES: readonly { readonly of: string; readonly is?: unknown }[] = [
  { of: '1 + 2 * 3', is: 7 },
  { of: '(10 - 4) / 4', is: 1.5 },
  { of: '7 % 3', is: 1 },
  { of: '1 / (2 - 2)' },
  { of: '0.1 + 0.2', is: 0.3 },
  { of: '9007199254740993 == 9007199254740992', is: false },
  { of: 'to_number("12.5")', is: 12.5 },
  { of: 'to_number("twelve")' },
  { of: 'round(2.5)', is: 3 },
  { of: 'numbers.range(3, 1)', is: [3, 2, 1] },
  { of: 'bits.and(12, 10)', is: 8 },
  { of: 'count("naïve")', is: 5 },
  { of: 'upper("naïve")', is: 'NAÏVE' },
  { of: 'substring("firewall", 4, -1)', is: 'wall' },
  { of: 'split("a,b,,c", ",")', is: ['a', 'b', '', 'c'] },
  { of: 'replace("abc", "", "-")', is: '-a-b-c-' },
  { of: 'sprintf("%s has %d of %.2f", ["x", 3, 1.5])', is: 'x has 3 of 1.50' },
  { of: 'sprintf("%d", ["x"])', is: '%!d(string=x)' },
  { of: 'trim_space("\\t a b \\n")', is: 'a b' },
  { of: 'strings.any_prefix_match("db.drop", {"db.", "fs."})', is: true },
  { of: 'regex.match(`^gpt-\\d`, "gpt-4o")', is: true },
  { of: 'regex.replace("a1b22", `\\d+`, "#")', is: 'a#b#' },
  { of: 'regex.find_n(`[a-z]+`, "ab 12 cd", -1)', is: ['ab', 'cd'] },
  { of: 'glob.match("db.*", ["."], "db.read")', is: true },
  { of: 'glob.match("db.*", ["."], "db.read.all")', is: false },
  { of: 'glob.match("db.**", ["."], "db.read.all")', is: true },
  { of: '{3, 1, 2}', is: [1, 2, 3] },
  { of: '{1, 2} | {2, 3}', is: [1, 2, 3] },
  { of: '{1, 2} & {2, 3}', is: [2] },
  { of: '{1, 2} - {2, 3}', is: [1] },
  { of: '{x | some x in [3, 3, 1]}', is: [1, 3] },
  { of: '[y | some x in input.numbers; x > 1; y := x * 2]', is: [4, 6] },
  { of: '{k: count(v) | some k, v in input.lists}', is: { a: 1, b: 2 } },
  { of: '2 in input.numbers', is: true },
  { of: '"a" in input.lists', is: false },
  { of: 'sum([x | some x in input.numbers])', is: 6 },
  { of: 'max(set())' },
  { of: 'sort(["b", 1, null, true, "a"])', is: [null, true, 1, 'a', 'b'] },
  { of: 'array.slice(input.numbers, 1, 9)', is: [2, 3] },
  { of: 'object.get(input, ["lists", "c"], "none")', is: 'none' },
  { of: 'object.union({"a": {"b": 1}}, {"a": {"c": 2}})', is: { a: { b: 1, c: 2 } } },
  { of: 'json.patch({"a": 1}, [{"op": "add", "path": "/b", "value": 2}])', is: { a: 1, b: 2 } },
  { of: 'json.filter({"a": {"b": 1, "c": 2}}, ["a/c"])', is: { a: { c: 2 } } },
  { of: 'json.unmarshal("{\\"a\\": [1, null]}")', is: { a: [1, null] } },
  { of: 'json.unmarshal("{")' },
  { of: 'json.marshal({"b": 1, "a": {2, 1}})', is: '{"a":[1,2],"b":1}' },
  { of: 'base64.decode("Z2F0ZQ==")', is: 'gate' },
  { of: 'crypto.sha256("")', is: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
  { of: 'time.parse_rfc3339_ns("1970-01-01T00:00:01Z")', is: 1_000_000_000 },
  { of: 'net.cidr_contains("10.0.0.0/8", "10.1.2.3")', is: true },
  { of: 'semver.compare("1.10.0", "1.9.9")', is: 1 },
  { of: 'units.parse_bytes("2KiB")', is: 2_048 },
  { of: 'type_name({1})', is: 'set' },
  { of: 'walked', is: ['deep'] },
  { of: 'grade(95)', is: 'a' },
  { of: 'grade(80)', is: 'b' },
  { of: 'grade(10)', is: 'none' },
  { of: 'every_number_is_small', is: true },
  { of: 'input.numbers[0]', is: 1 },
  { of: 'input.nowhere.at.all' },
  { of: 'mocked', is: 'mine' },
];

const HELPERS = `
default grade(_) := "none"
grade(points) := "a" if points > 90
else := "b" if points > 70
every_number_is_small if { every n in input.numbers { n < 10 } }
walked contains value if { some path; walk(input.tree, [path, value]); is_string(value) }
asked := input.who
mocked := who if who := asked with input.who as "mine"
`;
const INPUT = { numbers: [1, 2, 3], lists: { a: [1], b: [1, 2] }, tree: { x: [{ y: 'deep' }] } };
const LIMITS = { evaluationMs: 10_000, graceMs: 10_000, startMs: 60_000, maxWaiting: 10, waitMs: 60_000 };

describe('Rego', () => {
  let engine: RegoEngine;
  let said: Readonly<Record<string, unknown>> = {};
  beforeAll(async () => {
    const rules = CASES.map(({ of }, index) => `deny["${index}"] := value if value := ${of}`);
    const text = ['package gateway.policy', ...rules, HELPERS].join('\n');
    engine = await startRegoEngine([{ name: 'cases.rego', text }], LIMITS);
    ({ deny: said } = (await engine.evaluate(JSON.stringify(INPUT), 'a key')) as { deny: typeof said });
  }, 60_000);
  afterAll(() => engine.close());

  it.each(CASES.map((one, index) => ({ ...one, index })))('$of is $is', ({ index, is }) => {
    expect(said[String(index)]).toEqual(is);
  });

  it.each([
    [
      'a function with two values',
      'f(x) := 1 if x\nf(x) := 2 if x\ndeny contains "x" if f(input.numbers)',
      /eval_conflict_error/u,
    ],
    [
      'a rule with two values',
      'a := 1 if input.numbers\na := 2 if input.lists\ndeny contains "x" if a',
      /eval_conflict_error/u,
    ],
    [
      'an object with a repeated key',
      'deny contains "x" if {"k": v | some v in input.numbers}',
      /eval_conflict_error/u,
    ],
  ])('does not judge by %s', async (_name, text, says) => {
    const own = await startRegoEngine(
      [{ name: 'p.rego', text: `package gateway.policy\n${text}\n` }],
      LIMITS,
    );
    await expect(own.evaluate(JSON.stringify(INPUT), 'a key')).rejects.toThrow(says);
    await own.close();
  });
});
