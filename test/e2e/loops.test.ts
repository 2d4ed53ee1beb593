import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../support/http.ts';
import { expectRefusal, startBudgets, type Budgets, type Client } from './budgets/rig.ts';
import { loggedLine } from '../support/log-lines.ts';

/** docs/loops.md, Loop; "Errors", 429 `loop_detected`; docs/serving.md#shadow-mode. */
let warning: Budgets;
let blocking: Budgets;
let shadowing: Budgets;
beforeAll(async () => {
  warning = await startBudgets();
  [blocking, shadowing] = await Promise.all([
    startBudgets({ loop_detection: { action: 'block', velocity: { max_rps: 50 } } }, warning),
    startBudgets({ loop_detection: { action: 'block' }, server: { shadow_mode: true } }, warning),
  ]);
});
afterAll(async () => {
  await Promise.all([blocking.close(), shadowing.close()]);
  await warning.close();
});

let sessions = 0;
const newSession = (): Record<string, string> => ({ 'x-gateway-session-id': `loop-${String(++sessions)}` });

/** Sent one after another, as agents do. */
async function askTimes(
  client: Client,
  count: number,
  headers: Record<string, string>,
  body: (nth: number) => Record<string, unknown> = () => ({}),
): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (let nth = 0; nth < count; nth++) replies.push(await client.ask(body(nth), { headers }));
  return replies;
}

const statuses = (replies: readonly Reply[]): number[] => replies.map(({ status }) => status);
const detected = (replies: readonly Reply[]): unknown[] =>
  replies.map(({ headers }) => headers['x-gateway-loop-detected']);
async function flags({ gateway }: Budgets): Promise<number> {
  const line = (await gateway.metrics())
    .split('\n')
    .find((text) => /check_verdicts_total.*"loop".*"flag"/.test(text));
  return Number(line?.split(' ').at(-1) ?? 0);
}

describe('with action warn', () => {
  it('the fourth similar call is answered and flagged: header, log, metric', async () => {
    const client = await warning.newClient();
    const before = await flags(warning);
    const replies = await askTimes(client, 5, newSession());
    expect(statuses(replies)).toEqual([200, 200, 200, 200, 200]);
    expect(detected(replies)).toEqual([undefined, undefined, undefined, 'fingerprint', 'fingerprint']);
    expect(client.forwarded()).toHaveLength(5);
    expect((await flags(warning)) - before).toBe(2);
    const id = String(replies[3]?.headers['x-gateway-request-id']);
    expect(await loggedLine(warning.gateway, id, 'flagged')).toMatchObject({
      check: 'loop',
      reason: 'loop: fingerprint',
    });
  });

  it('streams are flagged in their headers', async () => {
    const client = await warning.newClient();
    const replies = await askTimes(client, 4, newSession(), () => ({ stream: true }));
    expect(detected(replies)).toEqual([undefined, undefined, undefined, 'fingerprint']);
  });

  it('an agent that varies its calls is not flagged', async () => {
    const client = await warning.newClient();
    const replies = await askTimes(client, 8, newSession(), (nth) => ({
      messages: [{ role: 'user', content: `Fix src/${'abcdefgh'[nth] ?? ''}.ts` }],
    }));
    expect(detected(replies)).toEqual(Array(8).fill(undefined));
  });

  it('without a session nothing is compared, and sessions and keys are separate', async () => {
    const [client, other] = await Promise.all([warning.newClient(), warning.newClient()]);
    expect(detected(await askTimes(client, 6, {}))).toEqual(Array(6).fill(undefined));
    const session = newSession();
    await askTimes(client, 3, session);
    expect(detected(await askTimes(client, 1, newSession()))).toEqual([undefined]);
    expect(detected(await askTimes(other, 1, session))).toEqual([undefined]);
    expect(detected(await askTimes(client, 1, session))).toEqual(['fingerprint']);
  });
});

describe('with action block', () => {
  const newClient = (): Promise<Client> => warning.newClient({ gateways: [blocking.gateway] });

  it('the fourth similar call is 429 loop_detected, and is not forwarded', async () => {
    const client = await newClient();
    const session = newSession();
    const replies = await askTimes(client, 5, session);
    expect(statuses(replies)).toEqual([200, 200, 200, 429, 429]);
    const refused = replies[3];
    if (refused === undefined) throw new Error('no fourth reply');
    expectRefusal(refused, 429, 'loop_detected');
    expect(JSON.parse(refused.body)).toEqual({
      error: 'loop detected (fingerprint): the session repeats the same call; change the request, or wait',
      type: 'loop_detected',
      findings: [{ rule: 'loop', detector: 'fingerprint' }],
    });
    expect(refused.headers).toMatchObject({
      'x-should-retry': 'false',
      'x-gateway-loop-detected': 'fingerprint',
    });
    expect(client.forwarded()).toHaveLength(3);
    const [moved] = await askTimes(client, 1, session, () => ({
      messages: [{ role: 'user', content: 'Let us talk about boats.' }],
    }));
    expect(moved?.status).toBe(200);
  });

  it.each([429, 500, 503])('retries after a %i of the provider are not a loop', async (status) => {
    const client = await newClient();
    client.behave({ status });
    const session = newSession();
    expect(statuses(await askTimes(client, 6, session))).toEqual(Array(6).fill(status));
    client.behave({});
    expect(statuses(await askTimes(client, 4, session))).toEqual([200, 200, 200, 429]);
  });

  it('a session over max_rps is 429 by velocity, others are not', async () => {
    const client = await newClient();
    const session = newSession();
    const body = (nth: number) => ({
      messages: [{ role: 'user', content: `Fix src/file${String(nth)}.ts` }],
    });
    const replies = await Promise.all(
      Array.from({ length: 300 }, (_, nth) => client.ask(body(nth), { headers: session })),
    );
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const reply of refused) expectRefusal(reply, 429, 'loop_detected');
    expect(new Set(detected(refused))).toEqual(new Set(['velocity']));
    expect(client.forwarded()).toHaveLength(300 - refused.length);
    expect(statuses(await askTimes(client, 1, newSession()))).toEqual([200]);
  });
});

it('in shadow mode a call that would be blocked passes, and is recorded', async () => {
  const client = await warning.newClient({ gateways: [shadowing.gateway] });
  const replies = await askTimes(client, 4, newSession());
  expect(statuses(replies)).toEqual([200, 200, 200, 200]);
  expect(detected(replies).at(-1)).toBe('fingerprint');
  expect(replies.map(({ headers }) => headers['x-gateway-shadow'])).toEqual([
    undefined,
    undefined,
    undefined,
    'loop_detected',
  ]);
});
