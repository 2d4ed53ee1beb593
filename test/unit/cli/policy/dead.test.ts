import { describe, expect, it } from 'vitest';
import { folder, policy, policyJson, put, useRig } from './rig.ts';

useRig();

async function warnings(): Promise<string[]> {
  const { code, json } = await policyJson(['check', '--policy-dir', folder]);
  expect(code).toBe(0);
  return (json as { warnings: string[] }).warnings.map((one) => one.replace(`${folder}/`, ''));
}

describe('policy check warns of Rego that never fires', () => {
  const RULE = 'package gateway.policy\n\n';
  it.each([
    ['denied contains "x" if true', 'a.rego:5: rule denied is never read', 'did you mean deny?'],
    ['denies contains "x" if true', 'a.rego:5: rule denies is never read', 'did you mean deny?'],
    ['helper if true', 'a.rego:5: rule helper is never read', 'use it in a rule or remove it'],
    [
      'deny contains "x" if input.requets.model == "m"',
      'a.rego:5: input.requets is never defined',
      'input.request?',
    ],
    [
      'deny contains "x" if input.request.modle == "m"',
      'a.rego:5: input.request.modle',
      'input.request.model?',
    ],
    [
      'deny contains "x" if input["session"].stat == "A"',
      'a.rego:5: input.session.stat ',
      'input.session.state?',
    ],
    [
      'deny contains "x" if input.request.model.name == "m"',
      'a.rego:5: input.request.model.name',
      'input.request.model is a value',
    ],
    [
      'deny contains "x" if input.request.method == "POST"',
      'a.rego:5: input.request.method is never "POST"',
      'llm_call',
    ],
    [
      'deny contains "x" if "POST" == input.request.method',
      'a.rego:5: input.request.method is never "POST"',
      'llm_call',
    ],
    [
      'deny contains "x" if input.request.method in {"GET", "PUT"}',
      'a.rego:5: input.request.method is never',
      'llm_call',
    ],
    [
      'deny contains "x" if input.session.state == "OPEN"',
      'a.rego:5: input.session.state is never "OPEN"',
      'INIT',
    ],
    [
      'deny contains "x" if { input.request.model == "a"; "b" == input.request.model }',
      'a.rego:5: input.request.model cannot equal both "a" and "b"',
      'in {"a", "b"}',
    ],
    [
      'deny contains "x" if { input.session.steps == 1; input.session.steps == 2 }',
      'a.rego:5: input.session.steps cannot equal both 1 and 2',
      'write two rules',
    ],
  ])('%s', async (line, begin, remedy) => {
    put('a.rego', `${RULE}deny contains "y" if input.request.model == "m"\n\n${line}\n`);
    const found = await warnings();
    expect(found).toEqual([expect.stringContaining(begin)]);
    expect(found[0]).toContain(remedy);
    expect((await policy(['check', '--policy-dir', folder, '--strict'])).code).toBe(1);
  });

  it.each([
    'deny contains m if { helper(input); m := "a" }\nhelper(x) if x.session.state == "A"',
    'deny contains "x" if input.request.method in {"llm_call", "POST"}',
    'deny contains "x" if input.request.arguments.anything.below == 1',
    'deny contains "x" if input.session.taint_flags.any',
    'deny contains "x" if input.agent.tags["team"] == "red"',
    'deny contains "x" if input.request.method != "POST"',
    'deny contains "x" if { input.request.model == "a"; not input.request.model == "b" }',
    'deny contains "x" if { input.request.model == "a"; input.request.model == "a" }',
    'deny contains "x" if { input.request.model == "a"; input.session.state == "INIT" }',
    'deny contains "x" if input.session.state != "OPEN"',
    'deny contains "x" if input.request.model == "a"\ndeny contains "z" if input.request.model == "b"',
    'limits := {"a": 1}\ndeny contains "x" if input.session.spend > limits.a',
    'deny contains "x" if { some k; input.request[k] == "m" }',
  ])('and of no other: %s', async (text) => {
    expect(await warningsOf(text)).toEqual([]);
    expect((await policy(['check', '--policy-dir', folder, '--strict'])).code).toBe(0);
  });
});

/** Returns the warnings about one file of Rego. */
function warningsOf(text: string): Promise<string[]> {
  put('a.rego', `package gateway.policy\n\n${text}\n`);
  return warnings();
}

describe('policy check warns of Rego v0 that never fires', () => {
  it.each([
    [
      'a misspelled member',
      'deny[msg] {\n  input.request.modle == "m"\n  msg := "x"\n}',
      'a.rego:4: input.request.modle is never',
    ],
    ['in one line', 'deny["x"] { input.requets.model == "m" }', 'a.rego:3: input.requets is never'],
    [
      'in a helper with a value',
      'deny["x"] { is_bad == "y" }\n\nis_bad = "y" {\n  input.session.stat == "A"\n}',
      'a.rego:6: input.session.stat',
    ],
    [
      'in a function',
      'deny["x"] { is_bad(input.request) }\n\nis_bad(r) {\n  input.sesion.state == "A"\n}',
      'a.rego:6: input.sesion',
    ],
    [
      'in a second rule body',
      'deny["x"] { ok }\n\nok {\n  input.session.state == "INIT"\n} {\n  input.session.stat == "A"\n}',
      'a.rego:8: input.session.stat ',
    ],
    [
      'after else',
      'deny["x"] { n == 2 }\n\nn = 1 {\n  input.session.state == "INIT"\n} else = 2 {\n  input.session.stat == "A"\n}',
      'a.rego:8: input.session.stat ',
    ],
    [
      'an impossible method',
      'deny["x"] { input.request.method == "POST" }',
      'a.rego:3: input.request.method is never "POST"',
    ],
    [
      'a rule that nothing reads',
      'denied[msg] { msg := "x" }\n\ndeny["y"] { input.request.model == "m" }',
      'a.rego:3: rule denied is never read',
    ],
  ])('%s', async (_what, text, begin) => {
    expect(await warningsOf(text)).toEqual([expect.stringContaining(begin)]);
  });

  it.each([
    'bad := {"m", "n"}\n\nlimits = {"m": 1}\n\ndeny[msg] {\n  bad[input.request.model]\n  limits[input.request.model]\n  msg := "x"\n}',
    'deny[msg] {\n  is_bad\n  msg := "x"\n}\n\nis_bad {\n  input.request.model == "m"\n}',
    'default ok = false\n\nok = true {\n  input.session.state == "INIT"\n}\n\ndeny["x"] { not ok }',
  ])('and ignores rules that can fire: %s', async (text) => {
    expect(await warningsOf(text)).toEqual([]);
  });

  it('reports nothing about rules in an unreadable file', async () => {
    expect(
      await warningsOf(
        '  deny[msg] {\n    is_bad\n    msg := "x"\n  }\n\n  is_bad {\n    input.request.model == "m"\n  }',
      ),
    ).toEqual([]);
  });
});

describe('policy check warns of cards that never apply', () => {
  const FSM = 'metadata: { name: x }\nfsm:\n  transitions:\n    - { from: INIT, to: OPEN, trigger: t }\n';
  it('and of Rego that asks for a state of no card', async () => {
    put('a.yaml', `${FSM}rules: []\n`);
    const asks = (state: string) => `deny contains "x" if input.session.state == "${state}"\n`;
    put('a.rego', `package gateway.policy\n\n${asks('OPEN')}${asks('OPNE')}`);
    put('b.rego', 'package gateway.policy\n\ndeny contains "x" if not input.session.stat == "OPEN"\n');
    expect(await warnings()).toEqual([
      'a.rego:4: input.session.state is never "OPNE", so the rule cannot fire; it is one of INIT, OPEN',
      expect.stringMatching(/^b\.rego:3: input\.session\.stat is never defined, so `not` always holds;/),
    ]);
  });

  const rule = (match: string, condition = '') =>
    `${FSM}rules:\n  - { name: r, action: deny, match: ${match}, conditions: [${condition}] }\n`;
  const state = (value: string, op = 'equals') => `{ field: session.state, op: ${op}, value: ${value} }`;

  it.each([
    [
      `${FSM}    - { from: OPNE, to: OPEN, trigger: u }\n`,
      'a.yaml:5:',
      'no transition reaches the state OPNE',
    ],
    [rule('{}', state('OPNE')), 'a.yaml:6:', 'the states are INIT, OPEN'],
    [rule('{}', state('[A, B]', 'in')), 'a.yaml:6:', 'state A, B'],
    [rule('{ type: llm_call, tool: t }'), 'a.yaml:6:', 'have no tool'],
    [rule('{ type: mcp_tool_call, model: m }'), 'a.yaml:6:', 'have no model'],
  ])('%s', async (text, place, message) => {
    put('a.yaml', text);
    const found = await warnings();
    expect(found).toEqual([expect.stringContaining(place)]);
    expect(found[0]).toContain(message);
    expect((await policy(['check', '--policy-dir', folder, '--strict'])).code).toBe(1);
  });

  it('and of no others', async () => {
    put('a.yaml', rule('{ type: [llm_call, mcp_tool_call], tool: t }', state('[OPEN, B]', 'in')));
    expect(await warnings()).toEqual([]);
  });
});
