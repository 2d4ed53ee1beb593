import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import OpenAI from 'openai';
import { readAccount } from '../support/account.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import type { Reply } from '../support/http.ts';
import { askWith } from '../support/ask-provider.ts';

/** A worker without CPU time refuses the requests that have waited for it, and serves those in progress. */
const STALL_MS = 1_500;
const PROVIDER_KEY = 'sk-provider-0123456789';
const CHAT = { model: 'gpt-4o', max_tokens: 10, messages: [{ role: 'user' as const, content: 'Hello' }] };

let provider: FakeProvider;
let gateway: TestGateway;
let key: TestKey;

beforeAll(async () => {
  provider = await createFakeProvider();
  gateway = await startGateway({
    config: {
      server: { shed_after: '1s', error_format: 'native' },
      providers: { openai: { base_url: provider.url }, anthropic: { base_url: provider.url } },
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
beforeEach(async () => {
  provider.behave({ text: 'done' });
  key = await gateway.createKey({}, { monthly: 10 });
  await vi.waitFor(async () => expect((await ask()).status).toBe(200));
});

function ask(path = '/openai/v1/chat/completions', more: object = {}): Promise<Reply> {
  return askWith(gateway, key.rawKey, path, { ...CHAT, ...more });
}

/** Sends requests while the worker is paused, and resumes it. */
async function askDuringStall<Answer>(asked: () => Promise<Answer>): Promise<Answer> {
  const worker = gateway.workers()[0]?.pid ?? 0;
  process.kill(worker, 'SIGSTOP');
  try {
    const answer = asked();
    await delay(STALL_MS);
    process.kill(worker, 'SIGCONT');
    return await answer;
  } finally {
    process.kill(worker, 'SIGCONT');
  }
}

async function shedSoFar(): Promise<number> {
  const counts = (await gateway.metrics()).matchAll(/^gateway_shed_requests_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

it('refuses them with 503, a retry time and its own error type, in each dialect', async () => {
  const before = await shedSoFar();
  const asked = provider.requests.length;
  const account = await readAccount(gateway.redis, key.keyHash);
  const [openai, anthropic, gemini, bedrock] = await askDuringStall(() =>
    Promise.all([
      ask(),
      ask('/anthropic/v1/messages'),
      ask('/gemini/v1beta/models/gemini-2.5-flash:generateContent'),
      ask('/bedrock/model/anthropic.claude-v2/converse'),
    ]),
  );
  for (const reply of [openai, anthropic, gemini, bedrock]) {
    expect([reply.status, reply.headers['x-gateway-error-type']]).toEqual([503, 'overloaded']);
    expect(Number(reply.headers['retry-after-ms'])).toBeGreaterThanOrEqual(1_000);
    expect(['1', '2']).toContain(reply.headers['retry-after']);
    expect(JSON.parse(reply.body)).toMatchObject({ type: 'overloaded' });
  }
  expect(JSON.parse(openai.body)).toMatchObject({
    error: {
      message: 'the gateway is overloaded: try again in a moment',
      type: 'server_error',
      code: 'overloaded',
    },
  });
  expect(JSON.parse(anthropic.body)).toMatchObject({ error: { type: 'overloaded_error' } });
  expect(JSON.parse(gemini.body)).toMatchObject({
    error: {
      status: 'UNAVAILABLE',
      details: [{ reason: 'OVERLOADED' }, { retryDelay: expect.stringMatching(/^[12]s$/) }],
    },
  });
  expect(bedrock.headers['x-amzn-errortype']).toBe('ServiceUnavailableException');
  expect(provider.requests.length).toBe(asked);
  expect(await readAccount(gateway.redis, key.keyHash)).toEqual(account);
  await vi.waitFor(async () => expect(await shedSoFar()).toBe(before + 4));
});

it('asks Redis nothing about them', async () => {
  async function calls(): Promise<number> {
    const stats = await gateway.redis.client.info('commandstats');
    const counted = stats.matchAll(/^cmdstat_(?:evalsha|eval|hgetall|hmget|get):calls=(\d+)/gm);
    return [...counted].reduce((sum, [, count]) => sum + Number(count), 0);
  }
  const before = await calls();
  const replies = await askDuringStall(() => Promise.all(Array.from({ length: 20 }, () => ask())));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 503));
  // The gateway sends its heartbeat meanwhile; each request would ask at least once.
  expect((await calls()) - before).toBeLessThan(replies.length / 2);
});

it('continues a stream in progress', async () => {
  const { promise: until, resolve: goOn } = Promise.withResolvers<undefined>();
  provider.behave({ text: 'one two three four five six seven', holdStream: { afterPieces: 2, until } });
  const { promise: begun, resolve: begin } = Promise.withResolvers<undefined>();
  const body = { ...CHAT, stream: true };
  const streamed = askWith(
    gateway,
    key.rawKey,
    '/openai/v1/chat/completions',
    body,
    {},
    {
      onText: () => begin(undefined),
    },
  );
  await begun;
  const refused = await askDuringStall(() => ask());
  expect(refused.status).toBe(503);
  goOn(undefined);
  const whole = await streamed;
  expect([whole.status, whole.cut]).toEqual([200, false]);
  expect(whole.body).toContain('[DONE]');
});

it('and an SDK that waits as told is served, without any action of its user', async () => {
  const client = new OpenAI({
    apiKey: key.rawKey,
    baseURL: `${gateway.baseUrl}/openai/v1`,
    defaultHeaders: { 'x-gateway-provider-key': PROVIDER_KEY },
    maxRetries: 2,
  });
  const before = await shedSoFar();
  const answer = await askDuringStall(() => client.chat.completions.create(CHAT));
  expect(answer.choices[0]?.message.content).toBe('done');
  await vi.waitFor(async () => expect(await shedSoFar()).toBe(before + 1));
});
