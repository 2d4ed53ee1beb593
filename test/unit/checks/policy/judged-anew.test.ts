import { describe, expect, it } from 'vitest';
import { createOfflineChecks } from '../../../../src/checks/create-offline.ts';
import { defaultConfig } from '../../../../src/config/load.ts';
import { applyEdits } from '../../../../src/json/edit.ts';
import type { Parsed, WholeAnswer } from '../../../../src/pipeline/exchange.ts';
import { createRunner, type Run } from '../../../../src/pipeline/run.ts';
import { createCardSet } from '../../../../src/policy/cards/card-set.ts';
import { policySetOf } from '../../../../src/policy/policy-set.ts';
import { answered, NO_FACTS } from '../../../support/exchange.ts';
import { mcpExchange, toolCall } from '../../../support/mcp-exchange.ts';
import { readAtOnce } from '../../../support/read-at-once.ts';

/** Of two calls at once that both arm the session one moves it, and the other is judged again in ARMED. */
const CARD = `metadata: { name: falcon }
fsm: { initial_state: INIT, transitions: [{ from: INIT, to: ARMED, trigger: note }] }
rules:
  - name: early
    match: { type: mcp_tool_call }
    conditions:
      - { field: session.state, op: equals, value: INIT }
      - { field: prompt_text, op: contains, value: Robin }
    action: mask
  - name: armed
    match: { type: mcp_tool_call }
    conditions:
      - { field: session.state, op: equals, value: ARMED }
      - { field: prompt_text, op: contains, value: Falcon }
    action: mask
`;

interface Call {
  readonly run: Run;
  readonly exchange: Parsed;
}

/** Both are judged before either moves the session; the faster one comes first, whichever it was. */
async function twoAtOnce(args: object) {
  const cards = createCardSet([{ name: 'falcon.yaml', text: CARD, isPreset: false }]);
  const checks = createOfflineChecks({
    config: defaultConfig(),
    policies: policySetOf('sha256:0', cards, undefined),
    audit: { emit: () => undefined },
    onPolicyTrouble: rethrow,
    now: () => 1e12,
  });
  const newRun = createRunner({
    checks: checks.inOrder,
    shadowMode: false,
    observer: {
      verdict: () => undefined,
      enforceFailed: (_exchange, _check, cause) => rethrow(cause),
      endFailed: (_exchange, _check, cause) => rethrow(cause),
    },
  });
  const calls = [1, 2].map(() => ({ run: newRun(), exchange: exchangeOf(args) }));
  const judged = await Promise.all(
    calls.map(async (call) => ({
      call,
      denial: await sent(call),
      state: call.exchange.facts.session?.state,
    })),
  );
  const inOrder = judged.toSorted(
    (one, other) => Number(one.state === 'ARMED') - Number(other.state === 'ARMED'),
  );
  return {
    calls: inOrder.map(({ call }) => call),
    denials: inOrder.map(({ denial }) => denial),
    states: inOrder.map(({ state }) => state),
  };
}

function exchangeOf(args: object): Parsed {
  const body = toolCall('note', { ...args });
  const headers = { 'x-gateway-session-id': 'one' };
  return { ...mcpExchange({ body, headers, key: { keyHash: 'sha256:k' } }), facts: { ...NO_FACTS } };
}

async function sent({ run, exchange }: Call) {
  return (await run.requestHeaders(exchange)) ?? (await run.requestBody(exchange));
}

function bodyOf({ exchange }: Call): string {
  return applyEdits(exchange.body, exchange.edits).toString();
}

function wholeAnswer(result: object): WholeAnswer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  const { json } = readAtOnce(body);
  return { body, contentType: 'application/json', json, edits: [], replacement: undefined };
}

function rethrow(cause: unknown): never {
  throw cause;
}

describe('a call that is judged again, since another one has moved its session', () => {
  const ARGS = { text: 'Robin and Falcon fly' };

  it('goes out without what either judgement masks', async () => {
    const { calls, denials, states } = await twoAtOnce(ARGS);
    expect(denials).toEqual([undefined, undefined]);
    expect(states).toEqual([undefined, 'ARMED']);
    expect(calls.map(bodyOf)).toMatchObject([
      expect.stringContaining('"*** and Falcon fly"') as string,
      expect.stringContaining('"*** and *** fly"') as string,
    ]);
  });

  it('is answered without what either judgement masks', async () => {
    const { calls } = await twoAtOnce(ARGS);
    const texts = await Promise.all(
      calls.map(async ({ run, exchange }) => {
        const whole = wholeAnswer({ content: [{ type: 'text', text: 'Robin, Falcon' }] });
        const answer = answered(exchange);
        expect(await run.response({ ...answer, answer: { ...answer.answer, whole } })).toBeUndefined();
        return applyEdits(whole.body, whole.edits).toString();
      }),
    );
    expect(texts).toMatchObject([
      expect.stringContaining('"***, Falcon"') as string,
      expect.stringContaining('"***, ***"') as string,
    ]);
  });

  it('does not go out where nothing can take the place of what the second one masks', async () => {
    const { denials } = await twoAtOnce({ Falcon: 'flies' });
    expect(denials).toMatchObject([undefined, { type: 'policy_denied' }]);
  });
});
