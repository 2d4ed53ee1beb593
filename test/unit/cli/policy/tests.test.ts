import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, policy, policyJson, put, CARD, REGO, useRig } from './rig.ts';

useRig();

describe('gateway policy test', () => {
  it('runs the tests of Rego as OPA does', { timeout: 120_000 }, async () => {
    put('a.rego', REGO);
    const file = put(
      'a_test.rego',
      `package gateway.policy_test
import data.gateway.policy
test_denied if "no m" in policy.deny with input as {"request": {"model": "m"}}
test_wrong if count(policy.deny) == 1 with input as {"request": {"model": "n"}}
test_false := false
todo_test_later if false
test_broken if { x := {k: v | some [k, v] in [["a", 1], ["a", 2]]}; x.a }
test_cases[name] if { some name, model in {"one": "m", "two": "m"}; "no m" in policy.deny with input as {"request": {"model": model}} }
helper if false
`,
    );
    const { code, json } = await policyJson(['test', folder]);
    expect(code).toBe(1);
    const outcomes = (json as { tests: { name: string; file: string; line: number; outcome: string }[] })
      .tests;
    expect(
      outcomes.map(({ name, line, outcome }) => [
        name.replace('data.gateway.policy_test.', ''),
        line,
        outcome,
      ]),
    ).toEqual([
      ['test_denied', 3, 'pass'],
      ['test_wrong', 4, 'fail'],
      ['test_false', 5, 'fail'],
      ['todo_test_later', 6, 'skip'],
      ['test_broken', 7, 'error'],
      ['test_cases', 8, 'pass'],
    ]);
    expect(new Set(outcomes.map((one) => one.file))).toEqual(new Set([file]));
    expect(json).toMatchObject({ total: 6, passed: 2, failed: 2, errors: 1, skipped: 1 });
  });

  const CASES = `- name: writing wants a transaction
  call: { type: mcp_tool_call, tool_name: db.write, arguments: { sql: insert } }
  expect: deny
  rules: [write-needs-begin]
  reason: begin first
- name: a whole transaction
  steps:
    - { call: { type: mcp_tool_call, tool_name: begin }, expect: none, state: OPEN }
    - { call: { type: mcp_tool_call, tool_name: db.write, arguments: { sql: insert } }, expect: none }
    - { call: { type: mcp_tool_call, tool_name: commit }, expect: none, state: IDLE }
    - { call: { type: mcp_tool_call, tool_name: db.write }, expect: deny }
- name: what was read does not leave
  steps:
    - { call: { type: mcp_tool_call, tool_name: send }, expect: none }
    - { call: { type: mcp_tool_call, tool_name: read }, expect: none, taints: [read_something], answer: the SECRET }
    - { call: { type: mcp_tool_call, tool_name: send }, expect: deny, rules: [leak] }
`;

  it('finds words in disguise, as the wire does', async () => {
    const rule = (name: string, action: string, value: string) =>
      `  - {name: ${name}, action: ${action}, conditions: [{field: prompt_text, op: contains, value: ${value}}]}`;
    put(
      'card.yaml',
      `metadata: {name: words}\nrules:\n${rule('no', 'deny', 'zanzibar')}\n${rule('yes', 'allow', 'hello')}\n`,
    );
    const cases = [
      ['hello z\u0430nzibar', 'deny'],
      ['hello z.a.n.z.i.b.a.r', 'deny'],
      ['hello z4nz1b4r', 'deny'],
      ['hello emFuemliYXI=', 'deny'],
      [['hello zan', 'zibar'], 'deny'],
      ['hello bazaar', 'allow'],
      ['HELLO bazaar', 'none'],
    ].map(([prompt, expect], index) => ({
      name: String(index),
      call: { type: 'llm_call', prompt },
      expect,
    }));
    put('card_test.yaml', JSON.stringify(cases));
    expect(await policy(['test', folder])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('7 tests: 7 passed') as unknown,
    });
  });

  it('runs the cases of cards, through the states of a session', async () => {
    put('card.yaml', CARD);
    const file = put('card_test.yaml', CASES);
    expect(await policy(['test', folder])).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        `PASS  ${file}:1: writing wants a transaction`,
        `PASS  ${file}:6: a whole transaction`,
        `PASS  ${file}:12: what was read does not leave`,
        '',
        '3 tests: 3 passed, 0 failed, 0 errored, 0 skipped\n',
      ].join('\n'),
    });
    expect(await policy(['test', file, '--policy-file', join(folder, 'card.yaml')])).toMatchObject({
      code: 0,
    });
  });

  it.each([
    ['deny', 'IDLE'],
    ['allow', 'OPEN'],
  ])('moves a session by policy.default_action: %s', async (action, state) => {
    mkdirSync(join(folder, 'p'));
    put('p/card.yaml', CARD);
    put(
      'p/card_test.yaml',
      `- name: begins
  steps:
    - { call: { type: mcp_tool_call, tool_name: begin }, expect: none, state: ${state} }
`,
    );
    const config = put(
      'gateway.yaml',
      `policy: { enabled: true, policy_dir: ${folder}/p, default_action: ${action} }\n`,
    );
    const { code, stdout } = await policy(['test', '--config', config]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 passed')]);
  });

  it('reports an unexpected result, and its step', async () => {
    put('card.yaml', CARD);
    const wrong = CASES.replace('expect: none, state: OPEN', 'expect: none, state: SHUT')
      .replace('[leak]', '[leek]')
      .replace('begin first', 'end first');
    const file = put('card_test.yaml', wrong);
    const { code, stdout } = await policy(['test', folder]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `FAIL  ${file}:1: writing wants a transaction\n      no reason contains "end first": write-needs-begin: begin first, then db.write`,
    );
    expect(stdout).toContain('      step 1 (line 8): the state is OPEN, not SHUT');
    expect(stdout).toContain('      step 3 (line 16): leek did not fire; these did: leak');
    expect(stdout).toContain('3 tests: 0 passed, 3 failed');
  });

  it('writes JUnit for CI', async () => {
    put('card.yaml', CARD);
    put('card_test.yaml', '- { name: "<&\\u0007>", call: { type: llm_call, prompt: x }, expect: deny }\n');
    const { code, stdout } = await policy(['test', folder, '--output', 'junit']);
    expect(code).toBe(1);
    expect(stdout).toContain('<testsuites tests="1" failures="1" errors="0" skipped="0">');
    expect(stdout).toContain('name="&lt;&amp;\uFFFD&gt;"');
    expect(stdout).toContain('<failure message="the verdict is none, not deny">');
  });

  it.each<[string, string, string, RegExp]>([
    [
      'has an unknown key',
      'a_test.yaml',
      '- { name: a, call: { type: llm_call, promt: x }, expect: deny }\n',
      /a_test\.yaml:1:\d+: 0\.call\.promt: is not a key here; did you mean prompt\?/,
    ],
    [
      'expects an unknown result',
      'a_test.yaml',
      '- { name: a, call: { type: llm_call }, expect: refuse }\n',
      /expect: must be one of quarantine, deny/,
    ],
    ['is not valid YAML', 'a_test.yaml', '- {', /a_test\.yaml:1:\d+: is not valid YAML/],
    ['is not Rego', 'a_test.rego', 'package a\ntest_x if {', /a_test\.rego:2:/],
  ])('exits with 2 if a test %s', async (_, name, text, line) => {
    put('a.rego', REGO);
    put(name, text);
    const { code, stdout, stderr } = await policy(['test', folder]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(line);
  });

  it('exits with 2 for a missing path, and names the expected location of tests', async () => {
    expect(await policy(['test', join(folder, 'gone')])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not exist'),
    });
    put('card.yaml', CARD);
    const { code, stderr } = await policy(['test', folder]);
    expect(code).toBe(2);
    expect(stderr).toContain('no test was found');
    expect(stderr).toContain(`card ${folder}/card.yaml: 4 rules, states`);
    const presets = await policy(['test', '--presets', 'safety,pci', '--output', 'junit']);
    expect(presets.code).toBe(2);
    expect(presets.stderr).toMatch(/preset safety: \d+ rules.*, preset pci: \d+ rules/);
  });
});
