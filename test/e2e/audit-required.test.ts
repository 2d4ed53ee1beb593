import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { PROVIDER_NAMES } from '../../src/providers/registry.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import type { Reply } from '../support/http.ts';
import { createRawProvider, type RawProvider, type RawReply } from '../support/raw-provider.ts';
import { askWith } from '../support/ask-provider.ts';

/** `audit.required`: a call that cannot be recorded is refused, for each form of request and answer. */

let provider: RawProvider;
let gateway: TestGateway;
let key: TestKey;

const TRAIL = 'gateway:audit';
const CHAT = {
  path: '/openai/v1/chat/completions',
  body: { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
};
const MODELS = { path: '/openai/v1/models' };
/** Masked, so recorded. */
const FOUND = { 'x-ms-user': 'jane.doe@example.com' };

beforeAll(async () => {
  provider = await createRawProvider();
  gateway = await startGateway({
    config: {
      audit: { enabled: true, required: true, secret: 'of this test' },
      server: { dlp: { enabled: true } },
      providers: Object.fromEntries(PROVIDER_NAMES.map((name) => [name, { base_url: provider.url }])),
    },
  });
  key = await gateway.createKey();
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});
beforeEach(() => keepRecords());

/** Makes Redis refuse records from now on: their key has another type. */
async function loseRecords(): Promise<void> {
  await gateway.redis.client.del(TRAIL);
  await gateway.redis.client.set(TRAIL, 'x');
}

async function keepRecords(): Promise<void> {
  await gateway.redis.client.del(TRAIL);
}

function ask({ path, body }: { readonly path: string; readonly body?: object }): Promise<Reply> {
  return askWith(gateway, key.rawKey, path, body);
}

it.each([
  ['with a body', CHAT],
  ['without one', MODELS],
])('a request %s is not forwarded if it cannot be recorded', async (_what, call) => {
  const before = provider.requests.length;
  provider.answer({ body: '{"data":[]}' });
  expect((await ask(call)).status).toBe(200);
  expect(provider.requests).toHaveLength(before + 1);
  await loseRecords();
  const reply = await ask(call);
  expect(reply.status).toBe(503);
  expect(JSON.parse(reply.body)).toMatchObject({ type: 'redis_unavailable' });
  expect(provider.requests).toHaveLength(before + 1);
});

const SSE = { ...FOUND, 'content-type': 'text/event-stream' };

it.each<[string, RawReply]>([
  ['a whole answer', { headers: FOUND, body: '{"data":["the words"]}' }],
  ['a stream', { headers: SSE, body: 'data: {"choices":[{"delta":{"content":"the words"}}]}\n\n' }],
  ['an answer without a body', { status: 204, headers: FOUND, body: '' }],
  ['an error without a body', { status: 404, headers: { ...FOUND, 'content-length': '0' }, body: '' }],
])('%s does not leave if its findings cannot be recorded', async (_what, answer) => {
  provider.answer(answer);
  const recorded = await ask(CHAT);
  expect(recorded.status).toBe(answer.status ?? 200);
  expect(recorded.headers['x-ms-user']).toBe('***');
  provider.answer(answer, loseRecords);
  const reply = await ask(CHAT);
  expect(reply.status).toBe(503);
  expect(JSON.parse(reply.body)).toMatchObject({ type: 'redis_unavailable' });
  expect(JSON.stringify(reply)).not.toMatch(/the words|jane/);
});
