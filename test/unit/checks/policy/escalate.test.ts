import { describe, expect, it } from 'vitest';
import { createEscalate } from '../../../../src/checks/policy/escalate.ts';
import { createJudge } from '../../../../src/checks/policy/judge.ts';
import type { ApprovalRequest } from '../../../../src/escalation/approvals.ts';
import type { ApprovalResult } from '../../../../src/escalation/escalation.ts';
import { createPatience } from '../../../../src/extproc/patience.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import type { PolicyCall } from '../../../../src/policy/call.ts';
import { NO_DECISION } from '../../../../src/policy/decision.ts';
import type { PolicySet } from '../../../../src/policy/policy-set.ts';
import { createRunner } from '../../../../src/pipeline/run.ts';
import { composedOnMemory, rethrow } from '../../../support/composed-checks.ts';
import { parsed } from '../../../support/exchange.ts';
import { mcpExchange, toolCall } from '../../../support/mcp-exchange.ts';

const DEAR = { rule: 'dear', reason: 'a dear model' };
const RISKY = { rule: 'risky', reason: 'a risky one' };
const APPROVED: ApprovalResult = { kind: 'approved', id: 'e1', approver: 'ada' };
const LIMITS = { daily: 5 };

function rig(answers: readonly ApprovalResult[] = [APPROVED]) {
  const steps: string[] = [];
  const asked: ApprovalRequest[] = [];
  const extended: number[] = [];
  const waits = new Set<number>();
  const left = [...answers];
  const escalate = createEscalate({
    ask(request, wait) {
      steps.push('ask');
      asked.push(request);
      waits.add(wait.until);
      return Promise.resolve(left.shift() ?? APPROVED);
    },
    authenticateAgain({ key }) {
      steps.push('authenticate');
      return Promise.resolve({ record: key, limits: LIMITS });
    },
    maskSecrets: (text) => text.replaceAll('sk-secret', '***'),
  });
  const patient = <T extends Parsed>(exchange: T): T => ({
    ...exchange,
    patience: createPatience({ waitMs: 60_000, messageTimeoutMs: 75_000 }, (ms) => extended.push(ms)),
  });
  function score() {
    steps.push('score');
    return Promise.resolve();
  }
  return { escalate, patient, score, steps, asked, extended, waits };
}

const chat = (model = 'gpt-4o'): Parsed =>
  parsed({ body: { model, messages: [{ role: 'user', content: 'hello' }] } });

describe('an escalated call', () => {
  it.each<[string, object, object]>([
    [
      'resources/read',
      { uri: 'memo://sk-secret' },
      { method: 'mcp_resource_read', resource_uri: 'memo://***' },
    ],
    ['prompts/get', { name: 'greet' }, { method: 'mcp_prompt_get', prompt_name: 'greet' }],
  ])('of %s shows its contents to a person', async (method, params, expected) => {
    const { escalate, patient, score, asked } = rig();
    const exchange = patient(mcpExchange({ body: { jsonrpc: '2.0', id: 1, method, params } }));
    await escalate(exchange, [DEAR], score);
    expect(asked).toEqual([expect.objectContaining({ tool_name: '', mcp_server: 'files', ...expected })]);
  });

  it('shows every model that may answer, with its provider', async () => {
    const { escalate, patient, score, asked } = rig();
    const models = ['a/b', 'c/d', 'a/b'];
    const body = { model: 'a/b', models, messages: [{ role: 'user', content: 'hello' }] };
    const fallbacks = [chat('gpt-4o'), chat('gpt-4o')];
    await escalate(patient({ ...parsed({ provider: 'openrouter', body }), fallbacks }), [DEAR], score);
    const others = ['openrouter c/d', 'openai gpt-4o'];
    expect(asked).toEqual([
      expect.objectContaining({ provider: 'openrouter', model: 'a/b', other_models: others }),
    ]);
  });

  it('is scored, and its key checked, before a person is asked; and its key again afterwards', async () => {
    const { escalate, patient, score, steps, extended } = rig();
    const exchange = patient(chat());
    expect(await escalate(exchange, [DEAR], score)).toEqual({ kind: 'flag', reason: 'approved by ada (e1)' });
    expect(steps).toEqual(['score', 'authenticate', 'ask', 'authenticate']);
    expect(exchange.budget.limits).toEqual(LIMITS);
    expect(extended).toEqual([75_000]);
  });

  it('asks once for the same reasons, and for other reasons within the same wait', async () => {
    const { escalate, patient, score, asked, extended, waits } = rig();
    const exchange = patient(chat());
    await escalate(exchange, [DEAR], score);
    await escalate(exchange, [DEAR], score);
    expect(asked).toHaveLength(1);
    await escalate(exchange, [DEAR, { ...DEAR, reason: 'another reason of the same name' }], score);
    await escalate(exchange, [DEAR, RISKY], score);
    expect(asked).toHaveLength(3);
    expect([extended.length, waits.size]).toEqual([1, 1]);
  });

  it('shows no secret that a client hid in a name', async () => {
    const { escalate, patient, score, asked } = rig();
    await escalate(patient(chat('sk-secret-model')), [DEAR], score);
    expect(asked[0]).toMatchObject({ model: '***-model', tool_name: '', rules: [DEAR] });
    await escalate(patient(mcpExchange({ body: toolCall('sk-secret') })), [DEAR], score);
    expect(asked[1]).toMatchObject({ model: '', tool_name: '***', method: 'mcp_tool_call' });
  });

  it.each([
    ['denied', 'escalation_denied', 'an operator denied it'],
    ['timeout', 'escalation_timeout', 'none was given within'],
    ['withdrawn', 'escalation_denied', 'the client left'],
  ] as const)('that is %s is refused as %s', async (kind, type, why) => {
    const result = (kind === 'denied' ? { kind, id: 'e1', approver: 'ada' } : { kind }) as ApprovalResult;
    const { escalate, patient, score } = rig([result, result]);
    const message = expect.stringContaining(why) as string;
    expect(await escalate(patient(chat()), [DEAR], score)).toMatchObject({ kind: 'deny', type, message });
    const tool = await escalate(patient(mcpExchange({ body: toolCall('pay') })), [DEAR], score);
    expect(tool).toMatchObject({ type, details: { toolName: 'pay', rule: DEAR.rule, reason: message } });
  });

  it.each([
    ['full', 'gateway_unavailable', 'too many requests are waiting'],
    ['over_share', 'rate_limited', 'too many requests of this key are waiting'],
  ] as const)(
    'that finds no place (%s) is asked to retry with %s, and not denied',
    async (kind, type, why) => {
      const { escalate, patient, score } = rig([{ kind }, { kind }]);
      const told = {
        kind: 'deny',
        type,
        message: expect.stringContaining(why) as string,
        headers: { 'retry-after': '10' },
      };
      expect(await escalate(patient(chat()), [DEAR], score)).toEqual(told);
      expect(await escalate(patient(mcpExchange({ body: toolCall('pay') })), [DEAR], score)).toEqual(told);
    },
  );

  it('asks no person in shadow mode', async () => {
    const { escalate, patient, asked } = rig();
    const judge = createJudge({
      defaultAction: undefined,
      escalate,
      shadowMode: true,
      score: () => Promise.resolve(),
      taint: () => Promise.resolve(true),
      maskSecrets: (text) => text,
      onTrouble: () => undefined,
      onDecision: () => undefined,
    });
    const set = {
      digest: 'd',
      canAllow: false,
      decide: () => Promise.resolve({ ...NO_DECISION, escalate: [DEAR] }),
    } as unknown as PolicySet;
    const call = { input: { request: { method: 'llm_call' } } } as unknown as PolicyCall;
    expect(await judge(patient(chat()), { set, call })).toMatchObject({
      kind: 'deny',
      message: 'a dear model',
    });
    expect(asked).toEqual([]);
  });
});

const TAINTING = `metadata: { name: c }
rules:
  - { name: dear, match: { model: gpt-4o }, action: escalate, reason: a dear model }
  - { name: seen, match: { model: gpt-4o }, action: taint, taint: was_dear }
`;

it('sets a rule’s taint, but not without an approval', async () => {
  for (const { kind, expected } of [
    { kind: 'approved', expected: ['was_dear'] },
    { kind: 'denied', expected: [] },
  ] as const) {
    const { patient } = rig();
    const answer: ApprovalResult = { ...APPROVED, kind };
    const { checks, risk } = await composedOnMemory({
      card: TAINTING,
      askApproval: () => Promise.resolve(answer),
    });
    const observer = { verdict: () => undefined, enforceFailed: rethrow, endFailed: rethrow };
    const run = createRunner({ checks, shadowMode: false, observer })();
    const exchange = patient(chat());
    run.prepare({ keyHash: exchange.key.keyHash });
    const denial = await run.requestBody(exchange);
    expect(denial?.type).toBe(kind === 'approved' ? undefined : 'escalation_denied');
    expect((await risk.read(exchange.key.keyHash)).risk.persistentTaintFlags).toEqual(expected);
  }
});

it('ends immediately for a client that disconnected before the wait began', () => {
  const extended: number[] = [];
  const patience = createPatience({ waitMs: 1_000, messageTimeoutMs: 2_000 }, (ms) => extended.push(ms));
  patience.leave();
  expect(patience.begin().gone.aborted).toBe(true);
  expect(extended).toEqual([]);
});

it('is refused if the budget changed after its reservation, and continues otherwise', async () => {
  for (const { limits, expected } of [
    { limits: {}, expected: { kind: 'deny', type: 'policy_denied', findings: [{ rule: 'budget_changed' }] } },
    { limits: LIMITS, expected: { kind: 'flag' } },
  ]) {
    const { escalate, patient, score } = rig();
    const exchange = patient(chat());
    exchange.budget.limits = limits;
    exchange.facts.judgedAgain = { set: {} as PolicySet, call: {} as PolicyCall };
    expect(await escalate(exchange, [DEAR], score)).toMatchObject(expected);
    expect(exchange.budget.limits).toEqual(limits);
  }
});
