import { describe, expect, it } from 'vitest';
import type { PolicyCall } from '../../../../src/policy/call.ts';
import { createCardSet, type CardSet } from '../../../../src/policy/cards/card-set.ts';
import { quickestCpuMs } from '../../../support/cpu-time.ts';
import { llmCall, toolCall, type CallOptions } from '../../../support/policy-call.ts';

/** SPEC "Policies", cards: JSON is YAML, so that a row is a row. */
function cardsOf(...cards: object[]): CardSet {
  return createCardSet(
    cards.map((card, index) => ({
      name: `card-${String(index)}.yaml`,
      text: JSON.stringify({ metadata: { name: 'c' }, ...card }),
      isPreset: false,
    })),
  );
}

function rule(conditions: readonly object[], more: object = {}): CardSet {
  return cardsOf({ rules: [{ name: 'r', conditions, action: 'deny', reason: 'no', ...more }] });
}

async function isDenied(set: CardSet, call: PolicyCall): Promise<boolean> {
  return (await set.decide(call)).deny.length > 0;
}

const session = (tools: readonly string[], state = ''): CallOptions => ({
  session: { state, tools_called: tools },
});

describe('a condition', () => {
  it.each<[object, holds: PolicyCall, not: PolicyCall]>([
    [{ field: 'model', op: 'equals', value: 'gpt-4o' }, llmCall('x'), llmCall('x', { model: 'gpt-4o-mini' })],
    [{ field: 'model', op: 'not_equals', value: 'o3' }, llmCall('x'), llmCall('x', { model: 'o3' })],
    [{ field: 'model', op: 'in', value: ['o3', 'o4'] }, llmCall('x', { model: 'o4' }), llmCall('x')],
    [{ field: 'model', op: 'contains', value: 'mini' }, llmCall('x', { model: 'gpt-4o-mini' }), llmCall('x')],
    [{ field: 'path', op: 'matches_regex', value: '^/openai' }, llmCall('x'), toolCall('q')],
    [{ field: 'prompt_text', op: 'contains', value: 'drop' }, llmCall('a drop'), llmCall('a Drop')],
    [
      { field: 'prompt_text', op: 'matches_regex', value: '(?i)\\bdrop\\b' },
      llmCall('a Drop'),
      llmCall('a drops'),
    ],
    [
      { field: 'prompt_text', op: 'contains', value: 'hidden' },
      llmCall('h-i-d-d-e-n', { normalized: 'hidden' }),
      llmCall('h-i-d-d-e-n'),
    ],
    [{ field: 'prompt_text', op: 'detects', value: 'ssn' }, llmCall('ssn 536-22-8412'), llmCall('536-22')],
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
    const set = rule([condition]);
    expect([await isDenied(set, holds), await isDenied(set, not)]).toEqual([true, false]);
  });

  it('that cannot be told counts against the call: it denies, and does not allow', async () => {
    const over = { field: 'arguments.n', op: 'gt', value: 100 };
    const call = toolCall('q', { n: 'a thousand' });
    expect(await isDenied(rule([over]), call)).toBe(true);
    expect(await isDenied(rule([{ not: over }]), call)).toBe(true);
    expect((await rule([over], { action: 'allow' }).decide(call)).allow).toEqual([]);
    expect((await rule([{ not: over }], { action: 'allow' }).decide(call)).allow).toEqual([]);
  });

  it('names nobody of the prototype', async () => {
    const call = toolCall('q', JSON.parse('{"__proto__": {"x": 1}}') as Record<string, unknown>);
    expect(await isDenied(rule([{ field: 'arguments.constructor', op: 'exists' }]), call)).toBe(false);
    expect(await isDenied(rule([{ field: 'session.taint_flags.toString', op: 'exists' }]), call)).toBe(false);
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
  ])('is for %j', async (match, those, others) => {
    const set = rule([], { match });
    for (const call of those) expect(await isDenied(set, call)).toBe(true);
    for (const call of others) expect(await isDenied(set, call)).toBe(false);
  });

  it('that allows means the very name', async () => {
    const set = rule([], { match: { tool: 'read' }, action: 'allow' });
    expect((await set.decide(toolCall('read'))).allow).toHaveLength(1);
    expect((await set.decide(toolCall('READ'))).allow).toEqual([]);
    expect(set.canAllow).toBe(true);
  });

  it('says what it stands for: file, line, and its reason filled in', async () => {
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

  it('shows what it matched in one line, cut, and never a secret', async () => {
    const reason = '[{match}]';
    const said = async (text: string, value: string): Promise<string | undefined> =>
      (await rule([{ field: 'prompt_text', op: 'matches_regex', value }], { reason }).decide(llmCall(text)))
        .deny[0]?.reason;
    const secret = `AKIA${'IOSFODNN7EXAMPLQ'}`;
    expect(await said('a "quoted"\nline', '"quoted"\\s+line')).toBe('[\\"quoted\\"\\nline]');
    expect(await said(`key ${secret} here`, 'key.*here')).toBe('[***]');
    expect(await said(`key ${secret} here`, 'EXAMPL')).toBe('[***]');
    expect(await said('x'.repeat(1_000), 'x+')).toBe(`[${'x'.repeat(256)}]`);
    expect(await said('a\u202eb', 'a.b')).toBe('[a?b]');
  });

  it('that masks is for those whose other conditions hold, whatever their texts say', async () => {
    const ssn = { field: 'prompt_text', op: 'detects', value: 'ssn' };
    const ops = { field: 'agent.tags.team', op: 'equals', value: 'ops' };
    const set = rule([ops, { any: [ssn, { field: 'arguments.a', op: 'contains', value: 'x' }] }], {
      action: 'mask',
    });
    const masked = set.masksFor(llmCall('nothing', { agent: { tags: { team: 'ops' } } }));
    expect(masked.flatMap(({ patterns }) => patterns)).toEqual([
      { argument: undefined, what: { kind: 'detects', detector: 'ssn' } },
      { argument: ['a'], what: { kind: 'contains', text: 'x' } },
    ]);
    expect(set.masksFor(llmCall('536-22-8412'))).toEqual([]);
  });
});

describe('states', () => {
  const fsm = {
    initial_state: 'IDLE',
    transitions: [
      { from: 'IDLE', to: 'OPEN', trigger: 'begin_*' },
      { from: 'OPEN', to: 'IDLE', trigger: { tool: ['commit', 'rollback'] } },
      { from: '*', to: 'HALTED', trigger: { type: 'llm_call', matches: '(?i)halt' } },
      { from: '*', to: 'TAINTED', trigger: { taint: 'seen' } },
    ],
  };
  const set = cardsOf({
    fsm,
    rules: [{ name: 't', match: { tool: 'peek' }, action: 'taint', taint: 'seen' }],
  });

  it.each<[string, string, PolicyCall, string | undefined]>([
    ['a tool moves', '', toolCall('begin_transaction'), 'OPEN'],
    ['another tool does not', '', toolCall('commit'), undefined],
    ['from the state it is for', 'OPEN', toolCall('rollback'), 'IDLE'],
    ['words move', 'OPEN', llmCall('please HALT now'), 'HALTED'],
    ['to where it is already', 'HALTED', llmCall('halt'), undefined],
    [
      'a taint that the session has',
      'OPEN',
      toolCall('x', {}, { session: { taint_flags: { seen: true }, state: 'OPEN' } }),
      'TAINTED',
    ],
    ['a taint that this call gives', 'OPEN', toolCall('peek'), 'TAINTED'],
    ['an unknown state stays', 'ELSEWHERE', toolCall('begin_transaction'), undefined],
  ])('%s', async (_what, state, call, next) => {
    const session = { ...call.input.session, state: state || call.input.session.state };
    expect(await set.nextState({ ...call, input: { ...call.input, session } })).toBe(next);
    expect(set.initialState).toBe('IDLE');
  });

  it('begin where the card says, for its conditions too', async () => {
    const gated = cardsOf({
      fsm,
      rules: [
        {
          name: 'g',
          conditions: [{ field: 'session.state', op: 'not_equals', value: 'IDLE' }],
          action: 'deny',
        },
      ],
    });
    expect(await isDenied(gated, llmCall('x'))).toBe(false);
  });
});

describe('contains_matching_trace', () => {
  const looks = (value: unknown) =>
    rule([{ field: 'session_sequence', op: 'contains_matching_trace', value }], { match: { tool: 'write' } });
  const step = {
    type: 'mcp_tool_response',
    provider: 'db',
    tool: 'query',
    content: ['It is Confidential.'],
  } as const;

  it.each([
    { type: 'mcp_tool_response', provider: 'd*', content_regex: '(?i)confidential' },
    'type: mcp_tool_response, provider: db, content_regex: (?i)confidential',
    'content_regex: (?i)confidential, or not|confidential',
  ])('knows a step again: %j', async (value) => {
    const set = looks(value);
    const marks = await set.marksOf(step);
    expect(marks).toHaveLength(1);
    expect(set.looksFor('mcp_tool_response')).toBe(true);
    expect(await isDenied(set, toolCall('write', {}, { marks }))).toBe(true);
    expect(await isDenied(set, toolCall('write'))).toBe(false);
    expect(await set.marksOf({ ...step, content: ['public'] })).toEqual([]);
  });

  it('keeps no text of the step', async () => {
    expect((await looks({ content_regex: 'Confidential' }).marksOf(step)).join()).toMatch(
      /^trace:[0-9a-f]{16}$/,
    );
    expect(looks({ type: 'llm_call' }).looksFor('mcp_tool_response')).toBe(false);
  });
});

describe('a broken card', () => {
  it.each<[string, string, RegExp]>([
    ['no YAML', 'rules: [', /^bad\.yaml:1:\d+: is no YAML/],
    ['no card', '- 1', /must be a group of keys/],
    [
      'a misspelt key',
      'metadata: {name: c}\nrules:\n  - name: r\n    acton: deny',
      /bad\.yaml:4:5: rules\.0\.acton: is no key here; did you mean action\?\n {2} {4}acton: deny/,
    ],
    [
      'a misspelt field',
      one('{field: promt_text, op: contains, value: x}'),
      /rules\.0\.conditions\.0\.field: is no field; did you mean prompt_text\?/,
    ],
    [
      'an unknown operator',
      one('{field: model, op: like, value: x}'),
      /rules\.0\.conditions\.0\.op: must be one of equals/,
    ],
    [
      'a bad pattern',
      one('{field: prompt_text, op: matches_regex, value: "(a"}'),
      /conditions\.0\.value: .*\(a/,
    ],
    [
      'a pattern that is everywhere',
      one('{field: prompt_text, op: matches_regex, value: "a*"}'),
      /matches the empty text/,
    ],
    ['an unknown detector', one('{field: prompt_text, op: detects, value: virus}'), /must be one of secret/],
    ['words for a number', one('{field: session.spend, op: gt, value: much}'), /gt wants a number/],
    ['no list', one('{field: model, op: in, value: x}'), /in wants a list/],
    ['a list compared', one('{field: session_sequence, op: equals, value: x}'), /is a list: use contains/],
    ['a sequence elsewhere', one('{field: model, op: must_precede, value: x}'), /looks at session_sequence/],
    [
      'a trace of nothing',
      one('{field: session_sequence, op: contains_matching_trace, value: x}'),
      /must be like/,
    ],
    ['two forms in one', one('{any: [], field: model}'), /rules\.0\.conditions\.0/],
    [
      'a deep one',
      one(`${'{not: '.repeat(10)}{field: model, op: exists}${'}'.repeat(10)}`),
      /at most 8 deep/,
    ],
    [
      'a taint without a flag',
      'metadata: {name: c}\nrules:\n  - {name: r, action: taint}',
      /taint: names the flag/,
    ],
    [
      'a mask of nothing',
      'metadata: {name: c}\nrules:\n  - {name: r, action: mask}',
      /mask wants a condition/,
    ],
    [
      'a name twice',
      'metadata: {name: c}\nrules:\n  - {name: r, action: deny}\n  - {name: r, action: deny}',
      /4:6: rules\.1\.name: is the name of another/,
    ],
    [
      'a gate that allows',
      'metadata: {name: c}\nrules:\n  - {name: r, action: allow, conditions: [{field: session_sequence, op: must_precede, value: x}]}',
      /wants it under not/,
    ],
    [
      'a trigger of nothing',
      'metadata: {name: c}\nfsm: {transitions: [{from: a, to: b, trigger: {}}]}',
      /trigger: names nothing/,
    ],
    [
      'aliases without end',
      `a: &a [x]\n${Array.from({ length: 20 }, (_, n) => `b${String(n)}: &b${String(n)} [${'*a, '.repeat(20)}]`).join('\n')}`,
      /aliases|is no key/,
    ],
  ])('%s', (_what, text, message) => {
    expect(() => createCardSet([{ name: 'bad.yaml', text, isPreset: false }])).toThrow(message);
  });

  it('is one of several: all of their problems are told, and two with states are one too many', () => {
    const fsm = { transitions: [{ from: 'a', to: 'b', trigger: 'x' }] };
    expect(() => cardsOf({ fsm }, { fsm })).toThrow(
      /card-1\.yaml:1:\d+: fsm: a session has one state, and card-0/,
    );
    expect(() => cardsOf({ rules: 1 }, { rules: 2 })).toThrow(/card-0[^]*card-1/);
  });

  it('nested without end is refused, not a crash', () => {
    const text = `metadata: {name: c}\nrules: ${'['.repeat(50_000)}`;
    expect(() => createCardSet([{ name: 'bad.yaml', text, isPreset: false }])).toThrow(/bad\.yaml/);
  });

  function one(condition: string): string {
    return `metadata: {name: c}\nrules:\n  - name: r\n    action: deny\n    conditions: [${condition}]\n`;
  }
});

describe('long texts', () => {
  const set = rule(
    ['(?i)\\bneedle\\b', '(a|b|c)+needle'].map((value) => ({
      field: 'prompt_text',
      op: 'matches_regex',
      value,
    })),
  );

  it.each([0, 100_000, 262_140, 700_000, 2_000_000])(
    'are searched to their end: needle at %d',
    async (at) => {
      const text = `${'x y '.repeat(at / 4)} abcneedle needle ${'z '.repeat(100)}`;
      expect(await isDenied(set, llmCall(text))).toBe(true);
    },
  );

  it('of 200 cards cost no more than their patterns', async () => {
    const cards = cardsOf(
      ...Array.from({ length: 200 }, (_, n) => ({
        rules: [
          {
            name: 'r',
            match: { type: 'llm_call' },
            conditions: [
              { field: 'agent.tags.team', op: 'equals', value: `team-${String(n)}` },
              { field: 'prompt_text', op: 'contains', value: `word-${String(n)}` },
            ],
            action: 'deny',
          },
        ],
      })),
    );
    expect(await isDenied(cards, llmCall('word-7', { agent: { tags: { team: 'team-7' } } }))).toBe(true);
    const call = llmCall('x'.repeat(1_000));
    expect(quickestCpuMs(() => void cards.decide(call))).toBeLessThan(2);
  });
});
