import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startRegoEngine,
  type RegoEngine,
  type RegoEngineOptions,
} from '../../../../src/policy/rego/engine.ts';
import { seededPart } from '../../../support/seeded-part.ts';

/** Expensive policies: the limits hold, and an unjudged call is not allowed. */
const LIMITS: RegoEngineOptions = {
  evaluationMs: 200,
  graceMs: 300,
  startMs: 60_000,
  maxWaiting: 100,
  waitMs: 60_000,
};
/** CPU time beside the limits: for the engine that takes the place of an ended one. */
const SLACK_MS = 2_000;
const MAX_MEMORY_BYTES = 1_500_000_000;

interface Hostile {
  readonly name: string;
  /** The body of a rule that denies, if it is ever done. */
  readonly body: string;
  readonly helpers?: string;
  readonly data?: unknown;
}

const many = (text: string, times: number): string => text.repeat(times);
const list = (length: number, of: (index: number) => unknown): unknown[] =>
  Array.from({ length }, (_, n) => of(n));
/** YAML whose last line holds 10 ** 9 texts, if every alias is followed. */
const ALIASES = ['a: &a [x,x,x,x,x,x,x,x,x,x]', ...[...'bcdefghi'].map(aliasLine)].join('\n');

function aliasLine(name: string, index: number): string {
  const before = `*${'abcdefgh'.charAt(index)}`;
  return `${name}: &${name} [${list(10, () => before).join(',')}]`;
}

/** Ends its engine with every input. */
const ENDLESS: Hostile = { name: 'a range without an end', body: 'count(numbers.range(1, 1000000000)) > 0' };

const ALL_HOSTILE: readonly Hostile[] = [
  {
    name: 'a cross product',
    body: 'r := numbers.range(1, 400); r[a] + r[b] + r[c] + r[d] < 9999' + '; r[e] < 0',
  },
  {
    name: 'an enormous comprehension',
    body: 'r := numbers.range(1, 3000); count([[x, y] | x := r[_]; y := r[_]]) > 0',
  },
  { name: 'a string that doubles', body: 'count(s30("xxxxxxxxxxxxxxxx")) > 0', helpers: doublings(30) },
  {
    name: 'a string that multiplies',
    body: `count(replace(replace("${many('a', 10_000)}", "a", "${many('a', 10_000)}"), "a", "bb")) > 0`,
  },
  {
    name: 'many replacements',
    body: `count(strings.replace_n({"a": "${many('b', 10_000)}", "b": "c"}, "${many('a', 10_000)}")) > 0`,
  },
  { name: 'a number shifted far', body: 'bits.lsh(1, 4000000000) > 0' },
  { name: 'a shifted number written out', body: 'count(sprintf("%v", [bits.lsh(1, 10000000)])) > 0' },
  { name: 'a width without an end', body: 'count(sprintf("%1000000000d", [1])) > 0' },
  { name: 'many widths', body: `count(sprintf("${many('%1000000d', 400)}", [${many('1,', 399)}1])) > 0` },
  { name: 'a pattern that backtracks elsewhere', body: `not regex.match("(a+)+$", "${many('a', 5_000)}b")` },
  {
    name: 'a huge pattern',
    body: 'not regex.match(input.pattern, input.text)',
    data: { pattern: many('(a|b)*c', 30_000), text: many('ab', 100_000) },
  },
  {
    name: 'a pattern over a long text',
    body: 'regex.match(input.pattern, input.text)',
    data: { pattern: `${many('.*x', 500)}$`, text: many('xy', 500_000) },
  },
  {
    name: 'a broken pattern from elsewhere',
    body: 'regex.match(input.pattern, "x")',
    data: { pattern: '(' },
  },
  {
    name: 'a broken pattern from elsewhere, negated',
    body: 'not regex.match(input.pattern, "x"); count(input.pattern) > 99',
    data: { pattern: 'a{1001}' },
  },
  { name: 'a broken glob', body: 'glob.match(input.pattern, [], "x")', data: { pattern: '{[' } },
  {
    name: 'braces of a glob in each other',
    body: 'not glob.match(input.pattern, [], "zz")',
    data: { pattern: many('{a,b,', 3_000) + many('}', 3_000) },
  },
  { name: 'deep JSON', body: 'not json.unmarshal(input.text)', data: { text: many('[', 1_000_000) } },
  { name: 'deep YAML', body: 'not yaml.unmarshal(input.text)', data: { text: many('[', 200_000) } },
  { name: 'YAML with aliases of aliases', body: 'not yaml.unmarshal(input.text)', data: { text: ALIASES } },
  {
    name: 'a walk of a walk',
    body: 'walk(input, [p, v]); walk(input, [q, w]); v == w; p != q; v == "none"',
    data: { list: list(3_000, (n) => n) },
  },
  {
    name: 'a query in itself',
    body: 'not graphql.parse_query(input.text)',
    data: { text: many('{a', 100_000) },
  },
  {
    name: 'a query whose fields are compared',
    body: 'graphql.is_valid(input.text, "type Query { a: String }")',
    data: { text: `{${many('a ', 20_000)}}` },
  },
  { name: 'a schema of itself', body: 'json.match_schema({"a": 1}, {"$ref": "#"})' },
  {
    name: 'a schema of alternatives',
    body: '[ok, _] := json.match_schema(input.list, input.schema); not ok',
    data: {
      list: list(2_000, (n) => n),
      schema: { items: { anyOf: list(500, (n) => ({ const: -n - 1 })) } },
    },
  },
  {
    name: 'digests without an end',
    body: 'some i in numbers.range(1, 1000000); crypto.sha256(sprintf("%d", [i])) == "q"',
  },
  {
    name: 'signatures without an end',
    body: 'some i in numbers.range(1, 100000); io.jwt.encode_sign({"alg": "HS256"}, {"i": i}, {"kty": "oct", "k": "AAAA"}) == "q"',
  },
  { name: 'dates without an end', body: 'some i in numbers.range(1, 1000000); time.format(i) == "q"' },
  { name: 'all addresses', body: 'count(net.cidr_expand("::/0")) > 0' },
  {
    name: 'all paths of a graph',
    body: 'g := {n: [m | some m in numbers.range(0, 40)] | some n in numbers.range(0, 40)}; count(graph.reachable_paths(g, {0})) > 0',
  },
  {
    name: 'a template of loops',
    body: 'strings.render_template("{{range .a}}{{range $.a}}{{range $.a}}x{{end}}{{end}}{{end}}", {"a": numbers.range(1, 2000)}) != ""',
  },
  {
    name: 'Rego in Rego',
    body: 'not rego.parse_module("x.rego", input.text)',
    data: { text: `package x\na := ${many('[', 200_000)}` },
  },
  {
    name: 'reasons without an end',
    body: 'some i in numbers.range(1, 2000000); reason := sprintf("%d", [i])',
  },
  {
    name: 'a reason that is too long',
    body: `count(concat("", ["${many('y', 1_000)}" | some i in numbers.range(1, 200000)])) > 0`,
  },
];

/** Most wait for the limit that ends them: a third in `npm test`. */
const HOSTILE = [ENDLESS, ...seededPart('hostile Rego', ALL_HOSTILE, 1 / 3)];

function policy(): string {
  const rules = HOSTILE.map(({ name, body }) => `deny contains "it" if { input.name == "${name}"; ${body} }`);
  const helpers = HOSTILE.map(({ helpers: own }) => own ?? '');
  return ['package gateway.policy', ...rules, ...helpers].join('\n');
}

/** Functions that double a string `times` times, one calling the other. */
function doublings(times: number): string {
  const each = list(
    times,
    (n) => `s${String(Number(n) + 1)}(x) := concat("", [s${String(n)}(x), s${String(n)}(x)])`,
  );
  return ['s0(x) := x', ...each].join('\n');
}

const judged = (engine: RegoEngine, input: unknown): Promise<unknown> =>
  engine.evaluate(JSON.stringify(input), 'a key');

/** CPU time of all threads, which a busy machine does not extend: a running engine takes more and more of it. */
function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('a policy written to exhaust resources', { timeout: 60_000 }, () => {
  let engine: RegoEngine;
  let replaced = 0;
  beforeAll(async () => {
    const onReplaced = (): void => void replaced++;
    engine = await startRegoEngine([{ name: 'hostile.rego', text: policy() }], { ...LIMITS, onReplaced });
  }, 60_000);
  afterAll(() => engine.close());

  it.each(HOSTILE)(
    'denies within its time limit, and the next call is judged: $name',
    async ({ name, data }) => {
      const ready = await judged(engine, { name: 'nothing' });
      expect(ready).toEqual({ deny: [] });
      const input = { name, ...(data as object | undefined) };
      const before = process.cpuUsage();
      const said = await judged(engine, input).catch((trouble: unknown) => trouble);
      expect(cpuMsSince(before)).toBeLessThan(LIMITS.evaluationMs + LIMITS.graceMs + SLACK_MS);
      if (said instanceof Error) expect(said).toMatchObject({ name: 'RegoEvaluationError' });
      else expect(said).toEqual({ deny: ['it'] });
    },
  );

  it('releases all memory', async () => {
    expect(replaced).toBeGreaterThan(0);
    expect(await judged(engine, { name: 'nothing' })).toEqual({ deny: [] });
    expect(process.memoryUsage.rss()).toBeLessThan(MAX_MEMORY_BYTES);
  });
});

describe('a policy that does not load', { timeout: 60_000 }, () => {
  const loading = (text: string, options = LIMITS): Promise<RegoEngine> =>
    startRegoEngine([{ name: 'hostile.rego', text: `package gateway.policy\n${text}\n` }], options);

  it.each([
    {
      name: 'deep lists',
      text: `a := ${many('[', 500_000)}`,
      says: /hostile\.rego:2:\d+: is nested deeper than 100/u,
    },
    { name: 'deep objects', text: `a := ${many('{"a":', 100_000)}`, says: /nested deeper/u },
    {
      name: 'deep calls',
      text: `deny contains "x" if { ${many('abs(', 10_000)}0${many(')', 10_000)} > 0 }`,
      says: /nested deeper/u,
    },
    { name: 'templates in templates', text: `a := ${many('$"{', 1_000)}`, says: /nested deeper/u },
    {
      name: 'a rule that refers to itself',
      text: 'a if b\nb if a\ndeny contains "x" if a',
      says: /rule data\.gateway\.policy\.a is recursive/u,
    },
    {
      name: 'a function that calls itself',
      text: 'f(x) := f(x)\ndeny contains "x" if f(1)',
      says: /is recursive/u,
    },
    { name: 'a number without end', text: 'a := 1e1000000', says: /hostile\.rego:2:6: number too big/u },
    {
      name: 'YAML with aliases of aliases',
      text: `# METADATA\n# custom:\n${ALIASES.replace(/^/gmu, '#   ')}\ndeny contains "x" if 1 == 2`,
      says: /excessive aliasing/u,
    },
    {
      name: 'a name of 1 MB',
      text: `deny contains "x" if ${many('x', 1_000_000)} == 1`,
      says: /^.{1000,1100}…/u,
    },
    {
      name: 'a broken pattern',
      text: 'deny contains "x" if regex.match(`(`, input.x)',
      says: /hostile\.rego:2:\d+: error parsing regexp: missing closing \)/u,
    },
    {
      name: 'a broken pattern in a comprehension',
      text: 'deny contains "x" if count([1 | not regex.match("a{9999}", input.x)]) > 0',
      says: /invalid repeat count/u,
    },
    {
      name: 'too many rules',
      text: list(5_000, (n) => `r${many('x', 250)}${String(n)} if input.x == ${String(n)}`).join('\n'),
      says: /too many rules/u,
    },
  ])('is reported: $name', async ({ text, says }) => {
    await expect(loading(text)).rejects.toThrow(says);
  });

  it.each([
    { name: 'nested comprehensions', text: `a := ${many('[x | x := ', 40)}1${many(']', 40)}` },
    { name: 'a number of 1 MB', text: `a := ${many('9', 1_000_000)}` },
  ])('is terminated after its time limit, and named: $name', async ({ text }) => {
    const before = process.cpuUsage();
    await expect(loading(text, { ...LIMITS, startMs: 3_000 })).rejects.toThrow(
      /more than 3 s to compile.*hostile\.rego \(\d+ characters\)/u,
    );
    expect(cpuMsSince(before)).toBeLessThan(3_000 + SLACK_MS);
  });

  it('is terminated if it exceeds its memory, and named', async () => {
    const sum = `deny contains "x" if { x := 1${many('+1', 100_000)}; x == 0 }`;
    await expect(loading(sum)).rejects.toThrow(/more than the engine's memory to compile.*hostile\.rego/u);
  });
});

describe('a policy of one megabyte', { timeout: 120_000 }, () => {
  it('judges calls without serializing its table for each of them', async () => {
    const table = list(55_000, (n) => `"k${String(n)}": ${String(n)}`).join(',');
    const text = `package gateway.policy\ntable := {${table}}\ndeny contains "x" if table[input.name] == 7\n`;
    const engine = await startRegoEngine([{ name: 'table.rego', text }], LIMITS);
    expect(await judged(engine, { name: 'k7' })).toEqual({ deny: ['x'] });
    expect(await judged(engine, { name: 'k8' })).toEqual({ deny: [] });
    await engine.close();
  });
});

describe('limits of an evaluation', { timeout: 60_000 }, () => {
  const PATIENT = { ...LIMITS, evaluationMs: 30_000 };

  it('end an engine whose memory is used up, and the next one judges the calls that waited', async () => {
    const text = `package gateway.policy\ndeny contains "x" if { input.hostile; count(s30("xxxx")) > 0 }\n${doublings(30)}\n`;
    const engine = await startRegoEngine([{ name: 'p.rego', text }], PATIENT);
    const hostile = judged(engine, { hostile: true }).catch((trouble: unknown) => trouble);
    const behind = judged(engine, {});
    expect(await hostile).toMatchObject({ trouble: 'died' });
    expect(await behind).toEqual({ deny: [] });
    await engine.close();
  });

  it('refuse output that is too large for the event loop that reads it', async () => {
    const text =
      'package gateway.policy\ndeny contains r if { input.hostile; some i in numbers.range(1, 30000); r := sprintf("%050d", [i]) }\n';
    const engine = await startRegoEngine([{ name: 'p.rego', text }], PATIENT);
    await expect(judged(engine, { hostile: true })).rejects.toThrow(/policy result for a call is too long/u);
    expect(await judged(engine, {})).toEqual({ deny: [] });
    await engine.close();
  });
});

it('a schema opens no connection', { timeout: 60_000 }, async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const schema = `{"$ref": "http://127.0.0.1:${port}/schema"}`;
  const text = `package gateway.policy\ndeny contains "x" if { json.match_schema({}, ${schema}) }\ndeny contains "y" if { json.verify_schema(${schema})[0] }\n`;
  const engine = await startRegoEngine([{ name: 'p.rego', text }], LIMITS);
  expect(await judged(engine, {})).toEqual({ deny: [] });
  expect(asked).toBe(0);
  await engine.close();
  server.close();
});
