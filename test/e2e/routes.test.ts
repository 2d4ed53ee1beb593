import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewKey } from '../../src/auth/key-fields.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';

const CHAT = '/openai/v1/chat/completions';
const MESSAGES = [{ role: 'user', content: 'hello' } as const];
const KEYS = { OPENAI: 'sk-openai-held-1', GROQ: 'gsk-held-2', CLAUDE: 'sk-ant-held-3' };

let openai: FakeProvider;
let groq: FakeProvider;
let anthropic: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  [openai, groq, anthropic] = await Promise.all([
    createFakeProvider(),
    createFakeProvider(),
    createFakeProvider(),
  ]);
  const config: ConfigInput = {
    providers: {
      openai: { base_url: openai.url },
      groq: { base_url: groq.url },
      anthropic: { base_url: anthropic.url },
    },
    credentials: {
      'openai-main': { provider: 'openai', from: { env: 'KEY_OPENAI' } },
      'groq-main': { provider: 'groq', from: { env: 'KEY_GROQ' } },
      claude: { provider: 'anthropic', from: { env: 'KEY_CLAUDE' } },
      lost: { provider: 'groq', from: { env: 'KEY_LOST' } },
    },
    models: {
      smart: [{ provider: 'openai', model: 'gpt-4o', credential: 'openai-main' }],
      fast: [{ provider: 'groq', model: 'llama-3.1-8b-instant', credential: 'groq-main' }],
      thinker: [{ provider: 'anthropic', model: 'claude-sonnet-4-5', credential: 'claude' }],
      own: [{ provider: 'groq', model: 'llama-3.1-8b-instant' }],
      unread: [{ provider: 'groq', model: 'llama-3.1-8b-instant', credential: 'lost' }],
      split: [
        { provider: 'groq', model: 'llama-3.1-8b-instant', credential: 'groq-main', weight: 1 },
        { provider: 'openai', model: 'gpt-4o-mini', credential: 'openai-main', weight: 1 },
      ],
    },
    routes: { sticky: true },
  };
  gateway = await startGateway({
    config,
    env: Object.fromEntries(Object.entries(KEYS).map(([name, value]) => [`KEY_${name}`, value])),
  });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([openai, groq, anthropic].map((provider) => provider.close()));
});

interface Ask {
  readonly rawKey: string;
  readonly model: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask({ rawKey, model, path = CHAT, headers }: Ask): Promise<Reply> {
  return send(gateway.baseUrl, {
    path,
    body: JSON.stringify({ model, max_tokens: 10, messages: MESSAGES }),
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json', ...headers },
  });
}

const EVERYTHING: Partial<NewKey> = { allowedProviders: ['openai', 'groq', 'anthropic'] };

function modelIn(provider: FakeProvider): unknown {
  return (JSON.parse(String(provider.requests.at(-1)?.body)) as { model?: unknown }).model;
}

describe('an alias', () => {
  it('is served by its target, with the target’s credential', async () => {
    const { rawKey } = await gateway.createKey(EVERYTHING);
    const client = new OpenAI({ apiKey: rawKey, baseURL: `${gateway.baseUrl}/openai/v1`, maxRetries: 0 });
    const { response } = await client.chat.completions
      .create({ model: 'fast', messages: [...MESSAGES], max_tokens: 10 })
      .withResponse();
    expect(response.headers.get('x-gateway-served-by')).toBe('groq/llama-3.1-8b-instant');
    expect(modelIn(groq)).toBe('llama-3.1-8b-instant');
    expect(groq.requests.at(-1)).toMatchObject({
      headers: { authorization: `Bearer ${KEYS.GROQ}` },
      path: '/v1/chat/completions',
    });
    expect(openai.requests).toHaveLength(0);
    await expect.poll(() => gateway.logs()).toContain('"alias":"fast"');
  });

  it('streams, and works in the dialect of Anthropic too', async () => {
    const { rawKey } = await gateway.createKey(EVERYTHING);
    const client = new Anthropic({
      apiKey: rawKey,
      authToken: null,
      baseURL: `${gateway.baseUrl}/anthropic`,
      maxRetries: 0,
    });
    const answer = await client.messages
      .stream({ model: 'thinker', max_tokens: 10, messages: [...MESSAGES] })
      .finalMessage();
    expect(answer.stop_reason).not.toBeNull();
    expect(modelIn(anthropic)).toBe('claude-sonnet-4-5');
    expect(anthropic.requests.at(-1)?.headers['x-api-key']).toBe(KEYS.CLAUDE);
  });

  it('is charged as its target’s model', async () => {
    const { rawKey } = await gateway.createKey(EVERYTHING, { daily: 1 });
    const costs = [];
    for (const model of ['smart', 'gpt-4o']) {
      const headers = { 'x-gateway-provider-key': 'sk-client' };
      costs.push((await ask({ rawKey, model, headers })).headers['x-gateway-request-cost']);
    }
    expect(Number(costs[0])).toBeGreaterThan(0);
    expect(costs[0]).toBe(costs[1]);
  });

  interface Stranger {
    readonly key: Partial<NewKey>;
    readonly budget?: { readonly daily: number };
    readonly own?: string;
  }
  const strangers: readonly (readonly [string, Stranger])[] = [
    ['of another provider', { key: { provider: 'openai' } }],
    ['of another provider that bring their own', { key: { provider: 'openai' }, own: 'sk-clients-own' }],
    ['with a budget', { key: { provider: 'openai' }, budget: { daily: 1 }, own: 'sk-clients-own' }],
    ['for other models', { key: { ...EVERYTHING, allowedModels: ['gpt-4o*'] }, own: 'sk-clients-own' }],
    [
      'for models of its name',
      { key: { ...EVERYTHING, allowedModels: ['f*', 'gpt*'] }, own: 'sk-clients-own' },
    ],
  ];
  const paths = [
    ...['chat/completions', 'completions', 'responses', 'embeddings', 'moderations'].map(
      (path) => `/openai/v1/${path}`,
    ),
    '/anthropic/v1/messages',
    '/anthropic/v1/messages/count_tokens',
  ];
  it.each(strangers)('does not exist for keys %s, which get the same answers', async (_who, stranger) => {
    const { key, budget, own } = stranger;
    const { rawKey } = await gateway.createKey(key, budget);
    const headers = own === undefined ? {} : { 'x-gateway-provider-key': own };
    // "fast" is only in OpenAI's API.
    for (const path of paths) {
      const replies = [];
      for (const model of ['fast', 'fest']) {
        const before = groq.requests.length;
        const body = { model, max_tokens: 10, messages: MESSAGES, input: 'hello', prompt: 'hello' };
        const reply = await send(gateway.baseUrl, {
          path,
          body: JSON.stringify(body),
          headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json', ...headers },
        });
        expect(groq.requests.length).toBe(before);
        const { 'x-gateway-request-id': id, date: _date, ...rest } = reply.headers;
        const same = (text: string): string =>
          text
            .replaceAll(model, 'NAME')
            .replaceAll(String(id), 'ID')
            .replace(/"created":\d+/, '');
        replies.push(same(JSON.stringify([reply.status, rest, reply.body])));
      }
      expect(replies[0]).toBe(replies[1]);
    }
  });

  it('is served to a key for the target’s model', async () => {
    const { rawKey } = await gateway.createKey({ ...EVERYTHING, allowedModels: ['gpt-4o*'] });
    expect((await ask({ rawKey, model: 'smart' })).status).toBe(200);
  });

  it('never sends a client’s provider key to another provider', async () => {
    const { rawKey } = await gateway.createKey(EVERYTHING);
    const before = groq.requests.length;
    const headers = { 'x-gateway-provider-key': 'sk-clients-own' };
    expect((await ask({ rawKey, model: 'own', headers })).status).toBe(400);
    expect(groq.requests).toHaveLength(before);
    const path = '/groq/v1/chat/completions';
    expect((await ask({ rawKey, model: 'own', headers, path })).status).toBe(200);
    expect(groq.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-clients-own');
  });

  it('is 503 while the credential of its only target cannot be read', async () => {
    const { rawKey } = await gateway.createKey(EVERYTHING);
    const headers = { 'x-gateway-provider-key': 'sk-clients-own' };
    const reply = await ask({ rawKey, model: 'unread', headers });
    expect([reply.status, reply.headers['x-gateway-error-type']]).toEqual([503, 'credential_unavailable']);
  });

  it('is refused in an API that its targets do not speak', async () => {
    const { rawKey } = await gateway.createKey(EVERYTHING);
    const reply = await ask({ rawKey, model: 'fast', path: '/anthropic/v1/messages' });
    expect([reply.status, reply.body]).toEqual([
      400,
      expect.stringContaining('do not support this endpoint'),
    ]);
  });

  it('leaves other names alone: the provider of the address gets them, with its own key', async () => {
    const { rawKey } = await gateway.createKey(EVERYTHING);
    const reply = await ask({ rawKey, model: 'gpt-4o' });
    expect([reply.status, reply.body]).toEqual([400, expect.stringContaining('X-Gateway-Provider-Key')]);
    const headers = { 'x-gateway-provider-key': 'sk-clients-own' };
    const served = await ask({ rawKey, model: 'gpt-4o', headers });
    expect([served.status, served.headers['x-gateway-served-by']]).toEqual([200, undefined]);
  });

  it('spreads sessions over its targets, and each session keeps its own', async () => {
    const { rawKey } = await gateway.createKey(EVERYTHING);
    async function servedBy(session: number): Promise<unknown> {
      const headers = { 'x-gateway-session-id': `session-${String(session)}` };
      return (await ask({ rawKey, model: 'split', headers })).headers['x-gateway-served-by'];
    }
    const sessions = Array.from({ length: 12 }, (_, nth) => nth);
    const first = await Promise.all(sessions.map(servedBy));
    expect(new Set(first)).toEqual(new Set(['groq/llama-3.1-8b-instant', 'openai/gpt-4o-mini']));
    expect(await Promise.all(sessions.map(servedBy))).toEqual(first);
  });
});

describe('the list of models', () => {
  const list = (path: string, rawKey: string, own?: string): Promise<Reply> =>
    send(gateway.baseUrl, {
      path,
      headers: {
        authorization: `Bearer ${rawKey}`,
        ...(own !== undefined && { 'x-gateway-provider-key': own }),
      },
    });
  const idsOf = (reply: Reply): string[] =>
    (JSON.parse(reply.body) as { data: { id: string }[] }).data.map(({ id }) => id);

  it('has the aliases that the key may use, after the provider’s models', async () => {
    const { rawKey } = await gateway.createKey({ allowedProviders: ['openai', 'groq'] });
    const client = new OpenAI({
      apiKey: rawKey,
      baseURL: `${gateway.baseUrl}/openai/v1`,
      defaultHeaders: { 'x-gateway-provider-key': 'sk-clients-own' },
    });
    const ids = (await client.models.list()).data.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(5);
    expect(ids.slice(-5)).toEqual(['smart', 'fast', 'own', 'unread', 'split']);
  });

  it('has only aliases if the provider is unreachable', async () => {
    const { rawKey } = await gateway.createKey({ ...EVERYTHING, allowedModels: ['gpt-4o', 'claude*'] });
    expect(idsOf(await list('/openai/v1/models', rawKey))).toEqual(['smart']);
    const claude = await list('/anthropic/v1/models', rawKey);
    expect([claude.status, idsOf(claude)]).toEqual([200, ['thinker']]);
    expect(claude.headers['x-gateway-request-id']).toBeDefined();
  });

  it('describes one alias that the key may use, with and without a provider key', async () => {
    const { rawKey } = await gateway.createKey({ ...EVERYTHING, allowedModels: ['gpt-4o', 'claude*'] });
    const client = new OpenAI({ apiKey: rawKey, baseURL: `${gateway.baseUrl}/openai/v1` });
    const before = openai.requests.length;
    expect(await client.models.retrieve('smart')).toEqual({
      id: 'smart',
      object: 'model',
      created: 0,
      owned_by: 'gateway',
    });
    expect((await list('/openai/v1/models/smart', rawKey, 'sk-clients-own')).status).toBe(200);
    expect(JSON.parse((await list('/anthropic/v1/models/thinker', rawKey)).body)).toMatchObject({
      id: 'thinker',
    });
    expect(openai.requests.length).toBe(before);

    // The provider answers for other names.
    expect((await list('/openai/v1/models/fast', rawKey)).status).toBe(400);
    expect((await list('/openai/v1/models/gpt-4o', rawKey)).status).toBe(400);
    await list('/openai/v1/models/fast', rawKey, 'sk-clients-own');
    expect(openai.requests.length).toBe(before + 1);
  });

  it('is refused as before for a key that may use none', async () => {
    const { rawKey } = await gateway.createKey({ ...EVERYTHING, allowedModels: ['other'] });
    expect((await list('/openai/v1/models', rawKey)).status).toBe(400);
  });
});
