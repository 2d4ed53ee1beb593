import { describe, expect, it } from 'vitest';
import type { PolicyCall } from '../../../../src/policy/call.ts';
import { llmCall, toolCall } from '../../../support/policy-call.ts';
import { cardsOf, denyingRule, isDenied } from '../../../support/policy-cards.ts';

/** A card's view of a session: its state, and marks of its steps. */
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
    ['a tool changes the state', '', toolCall('begin_transaction'), 'OPEN'],
    ['another tool does not', '', toolCall('commit'), undefined],
    ['only from the given state', 'OPEN', toolCall('rollback'), 'IDLE'],
    ['words change the state', 'OPEN', llmCall('please HALT now'), 'HALTED'],
    ['from a state to itself', 'HALTED', llmCall('halt'), undefined],
    [
      'a taint that the session has',
      'OPEN',
      toolCall('x', {}, { session: { taint_flags: { seen: true }, state: 'OPEN' } }),
      'TAINTED',
    ],
    ['a taint that this call sets', 'OPEN', toolCall('peek'), 'TAINTED'],
    ['an unknown state is kept', 'ELSEWHERE', toolCall('begin_transaction'), undefined],
  ])('%s', async (_what, state, call, next) => {
    const session = { ...call.input.session, state: state || call.input.session.state };
    expect(await set.nextState({ ...call, input: { ...call.input, session } })).toBe(next);
    expect(set.initialState).toBe('IDLE');
  });

  it('begin where the card says, also for its conditions', async () => {
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
    denyingRule([{ field: 'session_sequence', op: 'contains_matching_trace', value }], {
      match: { tool: 'write' },
    });
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
  ])('recognizes a step: %j', async (value) => {
    const set = looks(value);
    const marks = await set.marksOf(step);
    expect(marks).toHaveLength(1);
    expect(set.needsSteps('mcp_tool_response')).toBe(true);
    expect(await isDenied(set, toolCall('write', {}, { marks }))).toBe(true);
    expect(await isDenied(set, toolCall('write'))).toBe(false);
    expect(await set.marksOf({ ...step, content: ['public'] })).toEqual([]);
  });

  it('stores no text of the step', async () => {
    expect((await looks({ content_regex: 'Confidential' }).marksOf(step)).join()).toMatch(
      /^trace:[0-9a-f]{16}$/,
    );
    expect(looks({ type: 'llm_call' }).needsSteps('mcp_tool_response')).toBe(false);
  });
});
