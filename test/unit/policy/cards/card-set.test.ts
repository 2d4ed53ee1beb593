import { describe, expect, it } from 'vitest';
import type { PolicyCall } from '../../../../src/policy/call.ts';
import { createCardSet } from '../../../../src/policy/cards/card-set.ts';
import { llmCall, toolCall, type CallOptions } from '../../../support/policy-call.ts';
import { denyingRule, isDenied } from '../../../support/policy-cards.ts';

/** docs/cards.md: each field, operator and verdict of cards. */
const session = (tools: readonly string[], state = ''): CallOptions => ({
  session: { state, tools_called: tools },
});

const TOKEN = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;

describe('a condition', () => {
  it.each<[object, holds: PolicyCall, not: PolicyCall]>([
    [{ field: 'model', op: 'equals', value: 'gpt-4o' }, llmCall('x'), llmCall('x', { model: 'gpt-4o-mini' })],
    [{ field: 'model', op: 'not_equals', value: 'o3' }, llmCall('x'), llmCall('x', { model: 'o3' })],
    [{ field: 'model', op: 'in', value: ['o3', 'o4'] }, llmCall('x', { model: 'o4' }), llmCall('x')],
    [{ field: 'model', op: 'contains', value: 'mini' }, llmCall('x', { model: 'gpt-4o-mini' }), llmCall('x')],
    [{ field: 'path', op: 'matches_regex', value: '^/openai' }, llmCall('x'), toolCall('q')],
    [{ field: 'prompt_text', op: 'contains', value: 'drop' }, llmCall('a Drop'), llmCall('a dr')],
    [
      { field: 'prompt_text', op: 'contains', value: 'drop', ignore_case: false },
      llmCall('a drop'),
      llmCall('a Drop'),
    ],
    [
      { field: 'prompt_text', op: 'contains', value: ['zanzibar', 'falcon'] },
      llmCall('a f4lcon'),
      llmCall('a flacon'),
    ],
    [
      { not: { field: 'prompt_text', op: 'contains', value: 'approved' } },
      llmCall('Approved'),
      llmCall('approved'),
    ],
    [
      { not: { not: { field: 'prompt_text', op: 'contains', value: 'drop' } } },
      llmCall('a Drop'),
      llmCall('a dr'),
    ],
    [
      { field: 'tool_name', op: 'contains', value: 'delete' },
      toolCall('deleteUser'),
      toolCall('user', { x: 'delete' }),
    ],
    [
      { field: 'tool_name', op: 'contains', value: ['drop', 'delete'] },
      toolCall('DELETE_USER'),
      toolCall('read_user'),
    ],
    [
      { field: 'session_sequence', op: 'contains', value: 'Reader' },
      llmCall('x', session(['reader'])),
      llmCall('x', session(['reader2'])),
    ],
    [
      { field: 'prompt_text', op: 'matches_regex', value: '(?i)\\bdrop\\b' },
      llmCall('a Drop'),
      llmCall('a drops'),
    ],
    [
      { field: 'prompt_text', op: 'contains', value: 'hidden', ignore_case: false },
      llmCall('h-i-d-d-e-n', { normalized: 'hidden' }),
      llmCall('h-i-d-d-e-n'),
    ],
    [{ field: 'prompt_text', op: 'detects', value: 'ssn' }, llmCall('ssn 536-22-8412'), llmCall('536-22')],
    [{ field: 'prompt_text', op: 'detects', value: 'secret' }, llmCall(`key ${TOKEN}`), llmCall('key ghp_')],
    [{ field: 'prompt_text', op: 'detects', value: 'secrets' }, llmCall(`key ${TOKEN}`), llmCall('key ghp_')],
    [{ field: 'prompt_text', op: 'exists' }, llmCall('x'), llmCall('')],
    [{ field: 'prompt_text', op: 'equals', value: 'stop' }, llmCall('stop'), llmCall('stop it')],
    [{ field: 'tool_name', op: 'equals', value: 'rm' }, toolCall('rm'), llmCall('rm')],
    [{ field: 'mcp_server', op: 'equals', value: 'db' }, toolCall('q', {}, { server: 'db' }), toolCall('q')],
    [
      { field: 'arguments.sql', op: 'contains', value: 'drop' },
      toolCall('q', { sql: 'drop it' }),
      toolCall('q', { x: 'drop' }),
    ],
    [
      { field: 'arguments.a.b', op: 'equals', value: 7 },
      toolCall('q', { a: { b: '7' } }),
      toolCall('q', { a: { b: 8 } }),
    ],
    [
      { field: 'arguments.a.*', op: 'equals', value: 7 },
      toolCall('q', { a: { z: 7 } }),
      toolCall('q', { a: {} }),
    ],
    [
      { field: 'arguments.list', op: 'in', value: ['x'] },
      toolCall('q', { list: ['y', 'x'] }),
      toolCall('q', { list: ['y'] }),
    ],
    [
      { field: 'arguments.n', op: 'matches_regex', value: '^4{3}$' },
      toolCall('q', { n: 444 }),
      toolCall('q', { n: 44 }),
    ],
    [{ field: 'arguments.n', op: 'gt', value: 100 }, toolCall('q', { n: 101 }), toolCall('q', { n: 100 })],
    [
      { field: 'arguments.n', op: 'gte', value: 100 },
      toolCall('q', { n: '100' }),
      toolCall('q', { n: '99' }),
    ],
    [{ field: 'arguments.n', op: 'lt', value: 0 }, toolCall('q', { n: -1 }), toolCall('q', {})],
    [{ field: 'arguments.n', op: 'lte', value: 0 }, toolCall('q', { n: 0 }), toolCall('q', { n: 1 })],
    [{ field: 'arguments.n', op: 'exists' }, toolCall('q', { n: 0 }), toolCall('q', {})],
    [{ field: 'arguments.n', op: 'exists', value: false }, toolCall('q', {}), toolCall('q', { n: 0 })],
    [
      { field: 'agent.owner', op: 'equals', value: 'ann' },
      llmCall('x', { agent: { owner: 'ann' } }),
      llmCall('x'),
    ],
    [
      { field: 'agent.tags.team', op: 'equals', value: 'ops' },
      llmCall('x', { agent: { tags: { team: 'ops' } } }),
      llmCall('x'),
    ],
    [
      { field: 'session.state', op: 'equals', value: 'INIT' },
      llmCall('x'),
      llmCall('x', session([], 'OTHER')),
    ],
    [{ field: 'session.spend', op: 'gt', value: 1 }, llmCall('x', { session: { spend: 1.5 } }), llmCall('x')],
    [
      { field: 'session.taint_flags.seen', op: 'equals', value: true },
      llmCall('x', { session: { taint_flags: { seen: true } } }),
      llmCall('x'),
    ],
    [
      { field: 'agent_risk.risk_score', op: 'gt', value: 75 },
      llmCall('x', { risk: { risk_score: 76 } }),
      llmCall('x'),
    ],
    [
      { field: 'agent_risk.persistent_taint_flags', op: 'contains', value: 'seen' },
      llmCall('x', { risk: { persistent_taint_flags: ['seen'] } }),
      llmCall('x', { risk: { persistent_taint_flags: ['unseen'] } }),
    ],
    [
      { field: 'session_sequence', op: 'contains', value: 'a' },
      toolCall('q', {}, session(['a'])),
      toolCall('q', {}, session(['ab'])),
    ],
    [
      { field: 'session_sequence', op: 'must_precede', value: 'a' },
      toolCall('q'),
      toolCall('q', {}, session(['a'])),
    ],
    [
      { field: 'session_sequence', op: 'must_precede', value: ['a', 'b*'] },
      toolCall('q', {}, session(['a'])),
      toolCall('q', {}, session(['bc', 'a'])),
    ],
    [
      {
        any: [
          { field: 'model', op: 'equals', value: 'a' },
          { field: 'model', op: 'equals', value: 'b' },
        ],
      },
      llmCall('x', { model: 'b' }),
      llmCall('x'),
    ],
    [
      {
        all: [
          { field: 'model', op: 'contains', value: 'a' },
          { field: 'model', op: 'contains', value: 'b' },
        ],
      },
      llmCall('x', { model: 'ab' }),
      llmCall('x', { model: 'a' }),
    ],
    [{ not: { field: 'model', op: 'equals', value: 'a' } }, llmCall('x'), llmCall('x', { model: 'a' })],
    [
      {
        not: [
          { field: 'prompt_text', op: 'contains', value: 'a' },
          { field: 'prompt_text', op: 'contains', value: 'b' },
        ],
      },
      llmCall('a'),
      llmCall('a b'),
    ],
  ])('%j', async (condition, holds, not) => {
    const set = denyingRule([condition]);
    expect([await isDenied(set, holds), await isDenied(set, not)]).toEqual([true, false]);
  });

  it.each([
    ['in the argument', { q: 'PRJ-1', n: 'x' }, [true, true]],
    ['in another argument', { q: 'x', n: 'PRJ-1' }, [true, false]],
    ['nowhere', { q: 'x', n: 'y' }, [false, false]],
    ['in a number of the argument', { q: [4711], n: 'x' }, [false, true]],
    ['in a long argument', { q: `${'x '.repeat(200)} PRJ-1` }, [true, true]],
    ['in a number, beside a long text', { q: [4711, 'x '.repeat(200)] }, [false, true]],
  ])(
    'is evaluated separately for all texts and for one argument, with the match %s',
    async (_where, args, fires) => {
      const looking = (field: string) => ({ field, op: 'matches_regex', value: 'PRJ-\\d|4711' });
      const card = JSON.stringify({
        metadata: { name: 'both' },
        rules: ['prompt_text', 'arguments.q'].map((field) => ({
          name: field,
          conditions: [looking(field)],
          action: 'deny',
        })),
      });
      const set = createCardSet([{ name: 'both.yaml', text: card, isPreset: false }]);
      for (const _time of [1, 2]) {
        const { deny } = await set.decide(toolCall('t', args));
        const names = deny.map(({ rule }) => rule);
        expect([names.includes('prompt_text'), names.includes('arguments.q')]).toEqual(fires);
      }
    },
  );

  it('that cannot be decided counts against the call: it denies, and does not allow', async () => {
    const over = { field: 'arguments.n', op: 'gt', value: 100 };
    const call = toolCall('q', { n: 'a thousand' });
    expect(await isDenied(denyingRule([over]), call)).toBe(true);
    expect(await isDenied(denyingRule([{ not: over }]), call)).toBe(true);
    expect((await denyingRule([over], { action: 'allow' }).decide(call)).allow).toEqual([]);
    expect((await denyingRule([{ not: over }], { action: 'allow' }).decide(call)).allow).toEqual([]);
  });

  it('ignores names of the prototype', async () => {
    const call = toolCall('q', JSON.parse('{"__proto__": {"x": 1}}') as Record<string, unknown>);
    expect(await isDenied(denyingRule([{ field: 'arguments.constructor', op: 'exists' }]), call)).toBe(false);
    expect(await isDenied(denyingRule([{ field: 'session.taint_flags.toString', op: 'exists' }]), call)).toBe(
      false,
    );
  });
});

describe('a rule', () => {
  it.each<[object, PolicyCall[], PolicyCall[]]>([
    [{ type: 'llm_call' }, [llmCall('x')], [toolCall('q')]],
    [{ tool: 'db.*' }, [toolCall('db.query'), toolCall('DB.Drop')], [toolCall('query'), llmCall('x')]],
    [{ tool: ['a', 'b'] }, [toolCall('a'), toolCall('b')], [toolCall('c')]],
    [{ server: 'files' }, [toolCall('q', {}, { server: 'files' })], [toolCall('q')]],
    [{ model: 'gpt-*' }, [llmCall('x')], [llmCall('x', { model: 'o3' }), toolCall('gpt-4')]],
    [{ provider: 'anthropic' }, [], [llmCall('x')]],
    [{}, [llmCall('x'), toolCall('q')], []],
  ])('applies to %j', async (match, those, others) => {
    const set = denyingRule([], { match });
    for (const call of those) expect(await isDenied(set, call)).toBe(true);
    for (const call of others) expect(await isDenied(set, call)).toBe(false);
  });

  it('that allows requires the exact name', async () => {
    const set = denyingRule([], { match: { tool: 'read' }, action: 'allow' });
    expect((await set.decide(toolCall('read'))).allow).toHaveLength(1);
    expect((await set.decide(toolCall('READ'))).allow).toEqual([]);
    expect(set.canAllow).toBe(true);
  });

  it('shows its source: file, line, and its reason with the values filled in', async () => {
    const text = `metadata: { name: c }
rules:
  - name: first
    action: taint
    taint: seen

  - name: no-drop
    match: { type: mcp_tool_call }
    conditions:
      - { field: arguments.sql, op: matches_regex, value: '(?i)drop \\w+' }
    action: quarantine
    reason: "{rule}: {tool_name} says {match}{model}"
`;
    const set = createCardSet([{ name: 'ops.yaml', text, isPreset: false }]);
    expect(await set.decide(toolCall('q', { sql: 'x; DROP users' }))).toMatchObject({
      quarantine: [{ rule: 'no-drop', file: 'ops.yaml', line: 7, reason: 'no-drop: q says DROP users' }],
      taint: [{ rule: 'first', flag: 'seen', line: 3 }],
      deny: [],
    });
  });

  it('shows its match in one line, truncated, and never a secret', async () => {
    const reason = '[{match}]';
    const said = async (text: string, value: string): Promise<string | undefined> =>
      (
        await denyingRule([{ field: 'prompt_text', op: 'matches_regex', value }], { reason }).decide(
          llmCall(text),
        )
      ).deny[0]?.reason;
    const secret = `AKIA${'IOSFODNN7EXAMPLQ'}`;
    expect(await said('a "quoted"\nline', '"quoted"\\s+line')).toBe('[\\"quoted\\"\\nline]');
    expect(await said(`key ${secret} here`, 'key.*here')).toBe('[***]');
    expect(await said(`key ${secret} here`, 'EXAMPL')).toBe('[***]');
    expect(await said('x'.repeat(1_000), 'x+')).toBe(`[${'x'.repeat(256)}]`);
    expect(await said('a\u202eb', 'a.b')).toBe('[a?b]');
  });

  it('that masks applies if its other conditions hold, for any texts', async () => {
    const ssn = { field: 'prompt_text', op: 'detects', value: 'ssn' };
    const ops = { field: 'agent.tags.team', op: 'equals', value: 'ops' };
    const set = denyingRule([ops, { any: [ssn, { field: 'arguments.a', op: 'contains', value: 'x' }] }], {
      action: 'mask',
    });
    const masked = set.masksFor(llmCall('nothing', { agent: { tags: { team: 'ops' } } }));
    expect(masked.flatMap(({ patterns }) => patterns)).toEqual([
      { argument: undefined, pattern: { kind: 'detects', detector: 'ssn' } },
      { argument: ['a'], pattern: { kind: 'contains', text: 'x', ignoreCase: true } },
    ]);
    expect(set.masksFor(llmCall('536-22-8412'))).toEqual([]);
  });
});
