import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NewKey } from '../../src/auth/key-fields.ts';
import { signApproval } from '../../src/escalation/approval.ts';
import type { Escalation } from '../../src/escalation/escalation.ts';
import { readAccount } from '../support/account.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import type { TestGateway } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { startPolicyRig, type PolicyRig } from '../support/policy-rig.ts';

const SECRET = 'the secret of all approvers';
const POLICY = `package gateway.policy

escalate contains "a question" if contains(input.action.normalized_prompt, "approve")
`;
/** USD per million output tokens, so that a token costs this many thousands of nano-USD. */
const PRICES = { low: 10, high: 100, painter: 100 } as const;

let rig: PolicyRig;
let gateway: TestGateway;
let second: FakeProvider;
const KEY: Partial<NewKey> = { allowedProviders: ['openai', 'deepseek', 'groq'] };

beforeAll(async () => {
  second = await createFakeProvider();
  rig = await startPolicyRig({ files: { 'a.rego': POLICY } });
  const on = ['429' as const];
  gateway = await rig.start(
    {},
    {
      zsp: { escalation_enabled: true, escalation_secret: SECRET },
      providers: { groq: { base_url: second.url }, deepseek: { base_url: second.url } },
      credentials: {
        one: { provider: 'openai', from: { env: 'KEY' } },
        two: { provider: 'groq', from: { env: 'KEY' } },
        seek: { provider: 'deepseek', from: { env: 'KEY' } },
      },
      pricing: {
        overrides: {
          'openai/low': { input: 0, output: PRICES.low },
          'groq/high': { input: 0, output: PRICES.high },
          'openai/high': { input: 0, output: PRICES.high },
          'deepseek/low': { input: 0, output: PRICES.low },
          'groq/painter-image': { input: 0, output: PRICES.painter, output_image: PRICES.painter },
        },
      },
      models: {
        rising: [
          { provider: 'openai', model: 'low', credential: 'one' },
          { provider: 'groq', model: 'high', credential: 'two', on },
        ],
        deaf: [
          { provider: 'deepseek', model: 'low', credential: 'seek' },
          { provider: 'openai', model: 'high', credential: 'one', on },
        ],
        painting: [
          { provider: 'openai', model: 'low', credential: 'one' },
          { provider: 'groq', model: 'painter-image', credential: 'two', on },
        ],
      },
      routes: { circuit_breaker: { enabled: false } },
    },
    { KEY: 'sk-held-0123456789' },
  );
});
afterAll(async () => {
  await rig.close();
  await second.close();
});
beforeEach(() => {
  rig.provider.behave({});
  second.behave({});
});

function ask(model: string, rawKey: string, body: object = {}): Promise<Reply> {
  return send(gateway.baseUrl, {
    path: '/openai/v1/chat/completions',
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }], ...body }),
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
  });
}

const QUESTION = { messages: [{ role: 'user', content: 'please approve' }] };

async function approve(keyHash: string): Promise<void> {
  const { client } = rig.redis;
  const { id, nonce, request_digest, expiry } = await vi.waitFor(
    async () => {
      const ids = await client.zrange('gateway:escalation:pending', 0, -1);
      const all = await Promise.all(ids.map((one) => client.get(`gateway:escalation:${one}`)));
      const own = all
        .flatMap((json) => (json === null ? [] : [JSON.parse(json) as Escalation]))
        .find(({ key_hash }) => key_hash === keyHash);
      if (own === undefined) throw new Error('nothing waits');
      return own;
    },
    { timeout: 20_000, interval: 20 },
  );
  const answer = { id, nonce, key_hash: keyHash, request_digest, expiry, approver: 'eve' };
  const signed = signApproval({ ...answer, decision: 'approve' }, SECRET);
  await client.publish(`gateway:escalation:approvals:${id}`, JSON.stringify(signed));
}

/** Sends a request, and sets a budget while it waits for its approval. */
async function askWithBudgetMeanwhile(daily: number) {
  const { rawKey, keyHash } = await gateway.createKey(KEY);
  const asking = ask('rising', rawKey, QUESTION);
  await vi.waitFor(async () => expect(await rig.redis.client.zcard('gateway:escalation:pending')).toBe(1), {
    timeout: 20_000,
    interval: 20,
  });
  await gateway.setBudget(keyHash, { daily });
  await approve(keyHash);
  return { keyHash, reply: await asking };
}

/** The cost of a request that writes as much as the body sent to its provider allows. */
function most({ json }: { readonly json: unknown } = { json: {} }, usdPerMillion: number): number {
  const { max_tokens = Infinity, max_completion_tokens = Infinity } = json as Readonly<
    Record<string, number>
  >;
  return Math.min(max_tokens, max_completion_tokens) * usdPerMillion * 1_000;
}

describe('a budget set while a request waits for its approval', () => {
  it('bounds what each target may write', async () => {
    rig.provider.behave({ status: 429 });
    const { reply, keyHash } = await askWithBudgetMeanwhile(1);
    expect([reply.status, reply.headers['x-gateway-served-by']]).toEqual([200, 'groq/high']);
    expect(most(rig.provider.requests.at(-1), PRICES.high)).toBeLessThanOrEqual(1e9);
    expect(most(second.requests.at(-1), PRICES.high)).toBeLessThanOrEqual(1e9);
    expect((await readAccount(rig.redis, keyHash)).spent).toBe(most(second.requests.at(-1), PRICES.high));
  });

  it('limits the charge for another target’s invented usage', async () => {
    rig.provider.behave({ status: 429 });
    second.behave({ outputTokens: 5, usage: { inputTokens: 1, outputTokens: 40_000 } });
    const { reply, keyHash } = await askWithBudgetMeanwhile(1);
    expect(reply.status).toBe(200);
    expect((await readAccount(rig.redis, keyHash)).spent).toBeLessThanOrEqual(1e9);
  });

  it('refuses a request that the dearest target would take over it', async () => {
    const { reply } = await askWithBudgetMeanwhile(0.01);
    expect([reply.status, reply.headers['x-gateway-error-type']]).toEqual([429, 'budget_exceeded']);
  });
});

describe('a reservation covers the dearest target', () => {
  /** Sends a request with this budget; the first target fails, and the second one is held. */
  async function heldAtSecond(
    [firstAt, secondAt]: readonly [FakeProvider, FakeProvider],
    askOf: (rawKey: string) => Promise<Reply>,
    daily: number,
  ) {
    let release = (): void => undefined;
    firstAt.behave({ status: 429 });
    secondAt.behave({ hold: new Promise<void>((resolve) => (release = resolve)) });
    const { rawKey, keyHash } = await gateway.createKey(KEY, { daily });
    const before = secondAt.requests.length;
    const asking = askOf(rawKey);
    try {
      await vi.waitFor(() => expect(secondAt.requests.length).toBe(before + 1), {
        timeout: 20_000,
        interval: 20,
      });
      return { keyHash, sent: secondAt.requests.at(-1), ...(await readAccount(rig.redis, keyHash)) };
    } finally {
      release();
      expect((await asking).status).toBe(200);
    }
  }

  it('that reads a limit of the client that the first one ignores', async () => {
    const { reserved, sent, keyHash } = await heldAtSecond(
      [second, rig.provider],
      (rawKey) => ask('deaf', rawKey, { max_completion_tokens: 4_000 }),
      0.5,
    );
    expect(sent?.json).toMatchObject({ model: 'high' });
    expect(reserved).toBeGreaterThanOrEqual(most(sent, PRICES.high));
    await vi.waitFor(async () => expect((await readAccount(rig.redis, keyHash)).reserved).toBe(0));
    expect((await readAccount(rig.redis, keyHash)).spent).toBeLessThanOrEqual(0.5e9);
  });

  it('and lowers no limit of the client without permission, whichever target reads it', async () => {
    const { rawKey } = await gateway.createKey(KEY, { daily: 0.05 });
    const reply = await ask('deaf', rawKey, { max_completion_tokens: 600 });
    expect([reply.status, reply.headers['x-gateway-error-type']]).toEqual([429, 'budget_exceeded']);
  });

  it('that produces a whole picture at any limit', async () => {
    const { reserved } = await heldAtSecond([rig.provider, second], (rawKey) => ask('painting', rawKey), 1);
    expect(reserved).toBeGreaterThanOrEqual(6_240 * PRICES.painter * 1_000);
  });
});
