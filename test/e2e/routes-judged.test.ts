import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createVerifier } from 'fast-jwt';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { askWith } from '../support/ask-provider.ts';

const SECRET = 'a secret of thirty-two bytes and more';
const CARD = `metadata: { name: places }
rules:
  - name: no-plans-at-groq
    match: { type: llm_call }
    conditions:
      - { field: provider, op: equals, value: groq }
      - { field: prompt_text, op: contains, value: roadmap }
    action: deny
    reason: plans stay at openai
`;

let openai: FakeProvider;
/** With these, eight targets. */
const WIDE = ['two', 'three', 'four', 'five', 'six', 'seven', 'last'];
const LONG = `sk-long-${'x'.repeat(5_000)}`;

let groq: FakeProvider;
let gateway: TestGateway;
let rawKey: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gw-test-routes-'));
  writeFileSync(join(folder, 'places.yaml'), CARD);
  [openai, groq] = await Promise.all([createFakeProvider(), createFakeProvider()]);
  gateway = await startGateway({
    config: {
      providers: {
        openai: { base_url: openai.url },
        groq: { base_url: groq.url },
        deepseek: { base_url: groq.url },
      },
      credentials: {
        'openai-main': { provider: 'openai', from: { env: 'KEY_OPENAI' } },
        'groq-main': { provider: 'groq', from: { env: 'KEY_GROQ' } },
        long: { provider: 'groq', from: { env: 'KEY_LONG' } },
        seek: { provider: 'deepseek', from: { env: 'KEY_GROQ' } },
      },
      pricing: {
        overrides: Object.fromEntries(WIDE.map((name) => [`groq/${name}`, { input: 0, output: 0 }])),
      },
      models: {
        wide: [
          { provider: 'openai', model: 'gpt-4o', credential: 'openai-main' },
          ...WIDE.map((model) => ({
            provider: 'groq' as const,
            model,
            credential: 'long',
            on: ['429' as const],
          })),
        ],
        smart: [
          { provider: 'openai', model: 'gpt-4o', credential: 'openai-main' },
          { provider: 'groq', model: 'llama-3.1-8b-instant', credential: 'groq-main', on: ['429', '5xx'] },
        ],
        seeking: [
          { provider: 'openai', model: 'gpt-4o', credential: 'openai-main' },
          { provider: 'deepseek', model: 'deepseek-chat', credential: 'seek', on: ['429'] },
        ],
      },
      routes: { circuit_breaker: { enabled: false } },
      server: { dlp: { enabled: true, requests: 'mask' }, max_payload_bytes: 4_000_000 },
      policy: { enabled: true, policy_dir: folder, default_action: 'allow' },
      signature: { enabled: true, type: 'hmac', secret: SECRET },
      audit: { enabled: true },
    },
    env: { KEY_OPENAI: 'sk-openai-held', KEY_GROQ: 'sk-groq-held', KEY_LONG: LONG },
  });
  ({ rawKey } = await gateway.createKey(
    { allowedProviders: ['openai', 'groq', 'deepseek'] },
    { daily: 1_000 },
  ));
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([openai.close(), groq.close()]);
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  openai.behave({ status: 429 });
  groq.behave({});
});

function ask(content: string, more: object = {}): Promise<Reply> {
  return send(gateway.baseUrl, {
    path: '/openai/v1/chat/completions',
    body: JSON.stringify({ model: 'smart', messages: [{ role: 'user', content }], ...more }),
    headers: {
      authorization: `Bearer ${rawKey}`,
      'content-type': 'application/json',
      'openai-beta': 'assistants=v2',
    },
  });
}

describe('another target gets', () => {
  it('nothing that policies would refuse for it', async () => {
    const before = groq.requests.length;
    const refused = await ask('the roadmap for spring');
    expect([refused.status, groq.requests.length - before]).toEqual([429, 0]);
    expect(refused.body).toContain('the fake provider was told to fail');
    openai.behave({});
    expect((await ask('the roadmap for spring')).status).toBe(200);
    openai.behave({ status: 429 });
    expect((await ask('the weather in spring')).status).toBe(200);
    expect(groq.requests.length - before).toBe(1);
  });

  it('the masked text with its own edits, signed as received, at any length', async () => {
    const words = 'word '.repeat(200_000);
    const reply = await ask(`Write to jane.doe@example.com. ${words}`, { stream: true });
    expect(reply.status).toBe(200);
    const got = groq.requests.at(-1);
    const text = String(got?.body);
    expect(text).not.toContain('jane.doe');
    expect(text.length).toBeGreaterThan(1_000_000);
    expect(got?.json).toMatchObject({ model: 'llama-3.1-8b-instant', stream: true });
    // A header of OpenAI's own, and what only one of the two receives.
    expect(got?.headers['openai-beta']).toBeUndefined();
    expect(openai.requests.at(-1)?.headers['openai-beta']).toBe('assistants=v2');
    expect(text).not.toContain('include_usage');
    expect(String(openai.requests.at(-1)?.body)).toContain('include_usage');

    const verified = createVerifier({ key: SECRET, algorithms: ['HS256'], complete: true });
    const [header = '', , signature = ''] = (got?.headers['x-gateway-signature'] ?? '').split('.');
    verified(`${header}.${got?.body.toString('base64url') ?? ''}.${signature}`);
    const receipt = verified(String(reply.headers['x-gateway-signature'])) as { payload: object };
    const digest = createHash('sha256')
      .update(got?.body ?? '')
      .digest('hex');
    expect(receipt.payload).toMatchObject({ upstream_digest: `sha256:${digest}` });
  });

  it('no query parameter that the first one does not get, and none that a client adds', async () => {
    const reply = await send(gateway.baseUrl, {
      path: '/deepseek/v1/chat/completions?beta=jane.doe@example.com',
      body: JSON.stringify({ model: 'seeking', messages: [{ role: 'user', content: 'hello' }] }),
      headers: {
        authorization: `Bearer ${rawKey}`,
        'content-type': 'application/json',
        'x-gw-again': '1',
        'x-gw-attempt': '2',
        'x-gw-plan-1': 'cluster=provider_groq&authority=evil&path=/evil',
        'x-gw-plan-2': 'cluster=provider_groq&authority=evil&path=/evil',
      },
    });
    expect([reply.status, reply.headers['x-gateway-served-by']]).toEqual([200, 'deepseek/deepseek-chat']);
    expect(groq.requests.at(-1)).toMatchObject({ path: '/v1/chat/completions', query: '' });
  });

  it('the request regardless of the headers of the failed answer, none of which reach the client', async () => {
    const own = {
      'x-gw-tried': '1:answered:200',
      'x-gw-details': 'x',
      'x-gw-again': '0',
      'x-gw-origin': '0',
    };
    openai.behave({ status: 429, headers: { ...own, 'x-envoy-ratelimited': 'true', 'set-cookie': 'a=b' } });
    const { status, headers } = await ask('hello');
    expect([status, headers['x-gateway-served-by']]).toEqual([200, 'groq/llama-3.1-8b-instant']);
    expect(Object.keys(headers).filter((name) => /^x-gw-|^x-envoy-|cookie/.test(name))).toEqual([]);
  });

  it('its own name in the audit record, beside the alias', async () => {
    const id = String((await ask('hello')).headers['x-gateway-request-id']);
    const record = (): string | undefined =>
      gateway
        .logs()
        .split('\n')
        .find((line) => line.includes(id) && line.includes('"stage":"finished"'));
    await expect.poll(record).toBeDefined();
    expect(record()).toContain('"ai_model":{"name":"llama-3.1-8b-instant","ai_provider":"groq"}');
    expect(record()).toContain('"alias":"smart"');
  });
});

describe('eight targets with long credentials', () => {
  const askWide = (userAgent: string): Promise<Reply> =>
    send(gateway.baseUrl, {
      path: '/openai/v1/chat/completions',
      body: JSON.stringify({ model: 'wide', messages: [{ role: 'user', content: 'hi' }] }),
      headers: {
        authorization: `Bearer ${rawKey}`,
        'content-type': 'application/json',
        'user-agent': userAgent,
      },
    });

  it('are all tried', async () => {
    groq.behave(({ json }) => ({ status: json.model === 'last' ? 200 : 429 }));
    const before = groq.requests.length;
    expect((await askWide('short')).headers['x-gateway-served-by']).toBe('groq/last');
    expect(groq.requests.length - before).toBe(7);
    expect(groq.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${LONG}`);
  });

  it('are tried as far as a request with long headers has room for them', async () => {
    groq.behave({ status: 429 });
    const before = groq.requests.length;
    const refused = await askWide('u'.repeat(30_000));
    expect(refused.status).toBe(429);
    const asked = groq.requests.length - before;
    expect([asked > 2, asked < 7]).toEqual([true, true]);
    groq.behave(({ json }) => ({ status: json.model === 'two' ? 200 : 429 }));
    expect((await askWide('u'.repeat(30_000))).headers['x-gateway-served-by']).toBe('groq/two');
    openai.behave({});
    expect((await askWide('u'.repeat(54_000))).headers['x-gateway-served-by']).toBe('openai/gpt-4o');
  });
});

describe('a gateway that drains', () => {
  it('still tries another target for an open request', async () => {
    const draining = await startGateway({
      config: {
        providers: { openai: { base_url: openai.url }, groq: { base_url: groq.url } },
        models: {
          smart: [
            { provider: 'openai', model: 'gpt-4o' },
            { provider: 'openai', model: 'gpt-4o-mini', on: ['5xx'] },
          ],
        },
      },
      redis: gateway.redis,
    });
    let asked = 0;
    openai.behave(() => (++asked === 1 ? { status: 500, headersDelayMs: 800 } : {}));
    const body = { model: 'smart', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
    const reply = askWith(draining, rawKey, '/openai/v1/chat/completions', body);
    await delay(300);
    const stopped = draining.stop();
    const { status, headers } = await reply;
    expect([status, headers['x-gateway-served-by']]).toEqual([200, 'openai/gpt-4o-mini']);
    expect(await stopped).toBe(0);
  });
});
