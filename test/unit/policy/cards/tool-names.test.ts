import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCardSet } from '../../../../src/policy/cards/card-set.ts';
import { foldedMatcher } from '../../../../src/policy/cards/tool-names.ts';
import { quickestCpuMs } from '../../../support/cpu-time.ts';
import { llmCall, toolCall } from '../../../support/policy-call.ts';

const SAME = [
  'run_command',
  'run-command',
  'run.command',
  'run/command',
  'run:command',
  'runCommand',
  'RunCommand',
  'RUN_COMMAND',
  'run__command',
  'runcommand',
  'mcp__shell__run_command',
  'mcp__my_shell__runCommand',
  'mcp_shell_run_command',
  'shell.run-command',
  'shell/run_command',
  'shell:runCommand',
  'functions.run_command',
  'functions.mcp__shell__run_command',
  '\uff52un_command',
];
const OTHERS = ['dry_run_command', 'dryRunCommand', 'mcp__x__dry_run_command', 'run_commands', 'command', ''];

describe('foldedMatcher', () => {
  it.each(SAME)('reads %j as run_command', (name) => {
    expect(foldedMatcher(['run_command'])(name)).toBe(true);
    expect(foldedMatcher(['other', 'RunCommand'])(name)).toBe(true);
  });

  it.each(OTHERS)('does not read %j as run_command', (name) => {
    expect(foldedMatcher(['run_command'])(name)).toBe(false);
  });

  it.each([
    ['exec_*', 'execSQLQuery', true],
    ['exec_*', 'srv.exec-query', true],
    ['exec_*', 'executive', false],
    ['*_exec', 'kubectlExec', true],
    ['db.*', 'db_query', true],
    ['db.*', 'dbase', false],
    ['HTTP*', 'http-get', true],
    ['*', 'anything', true],
  ])('folds the parts around the stars of %s: %s', (glob, name, matches) => {
    expect(foldedMatcher([glob])(name)).toBe(matches);
  });

  it('matches everything that it matched before names were folded', () => {
    const word = fc.string({ unit: fc.constantFrom(...'aB_-./:* ') });
    fc.assert(fc.property(word, word, (start, end) => foldedMatcher([`${start}*`])(start + end)));
  });

  it('reads hostile names in linear time, and does not fold names of over 512 characters', () => {
    const matches = foldedMatcher(['run_command', '*a*b*c*']);
    for (const part of ['aB', '_', '.', 'a__', 'mcp_']) {
      const name = part.repeat(200_000);
      expect(quickestCpuMs(() => matches(name))).toBeLessThan(100);
    }
    expect(matches(`${'x'.repeat(500)}.run_command`)).toBe(true);
    expect(matches(`${'x'.repeat(501)}.run_command`)).toBe(false);
  });
});

const setOf = (rules: string) =>
  createCardSet([{ name: 'card', text: `metadata: { name: a }\nrules:\n${rules}`, isPreset: false }]);

describe('names of tools in a card', () => {
  it.each(['deny', 'escalate', 'quarantine'] as const)(
    'are folded by a rule with action %s',
    async (action) => {
      const set = setOf(`  - { name: r, match: { tool: run_command }, action: ${action} }`);
      for (const name of SAME) expect((await set.decide(toolCall(name, {})))[action]).toHaveLength(1);
      for (const name of OTHERS) expect((await set.decide(toolCall(name, {})))[action]).toHaveLength(0);
    },
  );

  it('are compared as written in a rule that allows', async () => {
    const set = setOf('  - { name: r, match: { tool: run_command }, action: allow }');
    for (const name of SAME)
      expect((await set.decide(toolCall(name, {}))).allow).toHaveLength(name === 'run_command' ? 1 : 0);
  });

  it('fold model names only by case', async () => {
    const set = setOf('  - { name: r, match: { model: gpt-4o }, action: deny }');
    const denied = async (model: string) => (await set.decide(llmCall('hi', { model }))).deny.length;
    expect(await Promise.all(['gpt-4o', 'GPT-4o', 'gpt_4o', 'x/gpt-4o'].map(denied))).toEqual([1, 1, 0, 0]);
  });

  it('are compared as written in must_precede, which permits the call', async () => {
    const set = setOf(`  - name: r
    match: { tool: deploy }
    conditions: [{ field: session_sequence, op: must_precede, value: dry_run }]
    action: deny`);
    const denied = async (called: string) =>
      (await set.decide(toolCall('deploy', {}, { session: { tools_called: [called] } }))).deny.length;
    expect(await denied('dry_run')).toBe(0);
    expect(await denied('dry-run')).toBe(1);
  });

  it.each([
    ['deny', '{ field: session_sequence, op: contains_matching_trace, value: { tool: run_command } }', true],
    [
      'allow',
      '{ field: session_sequence, op: contains_matching_trace, value: { tool: run_command } }',
      false,
    ],
    [
      'deny',
      'not: { field: session_sequence, op: contains_matching_trace, value: { tool: run_command } }',
      false,
    ],
    [
      'allow',
      'not: { field: session_sequence, op: contains_matching_trace, value: { tool: run_command } }',
      true,
    ],
  ])('are folded in earlier steps if that restricts: %s if %s', async (action, condition, isFolded) => {
    const set = setOf(`  - name: r\n    conditions:\n      - ${condition}\n    action: ${action}`);
    const marks = (tool: string) =>
      set.marksOf({ type: 'mcp_tool_call', provider: 'files', tool, content: [] });
    expect(await marks('run_command')).toHaveLength(1);
    expect(await marks('shell.runCommand')).toHaveLength(isFolded ? 1 : 0);
  });
});
