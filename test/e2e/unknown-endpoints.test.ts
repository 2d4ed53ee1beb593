import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestBudget, type TestGateway } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';

/** docs/routing.md: what the gateway cannot read passes where that is allowed, and where nothing hangs on it. */
const UNKNOWN = '/openai/v1/files';

let gateway: TestGateway;
let provider: FakeProvider;

beforeAll(async () => {
  provider = await createFakeProvider();
  gateway = await startGateway({
    config: {
      providers: { openai: { base_url: provider.url } },
      proxy: { unknown_endpoints: 'allow' },
    },
  });
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

interface Client {
  readonly budget?: TestBudget;
  readonly allowedModels?: string[];
}

/** One request of a new key: with a body, or without one. */
async function ask(
  method: 'GET' | 'POST',
  headers: Record<string, string>,
  client: Client = {},
): Promise<Reply> {
  const { budget, ...key } = client;
  const { rawKey } = await gateway.createKey(key, budget);
  return send(gateway.baseUrl, {
    method,
    path: UNKNOWN,
    headers: {
      authorization: `Bearer ${rawKey}`,
      'x-gateway-provider-key': 'sk-provider-0123456789',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(method === 'POST' && { body: '{"purpose":"x"}' }),
  });
}

it.each(['GET', 'POST'] as const)('a %s of an unknown endpoint passes', async (method) => {
  expect((await ask(method, {})).headers['x-gateway-request-id']).toBeDefined();
  expect(provider.requests.at(-1)).toMatchObject({ method, path: '/v1/files' });
});

it.each<['GET' | 'POST', string, Record<string, string>, Client]>([
  ['GET', 'a key with a budget', {}, { budget: { daily: 1 } }],
  ['POST', 'a key with a budget', {}, { budget: { daily: 1 } }],
  ['GET', 'a session with a budget', { 'x-gateway-session-id': 's', 'x-gateway-session-budget': '1' }, {}],
  ['POST', 'a session with a budget', { 'x-gateway-session-id': 's', 'x-gateway-session-budget': '1' }, {}],
  ['GET', 'a key limited to some models', {}, { allowedModels: ['gpt-4o'] }],
  ['POST', 'a key limited to some models', {}, { allowedModels: ['gpt-4o'] }],
])('a %s of an unknown endpoint is refused for %s', async (method, _who, headers, client) => {
  const before = provider.requests.length;
  const reply = await ask(method, headers, client);
  expect([reply.status, reply.body]).toEqual([403, expect.stringContaining('"type":"policy_denied"')]);
  expect(reply.headers).toMatchObject({
    'x-gateway-policy-block': 'true',
    'x-gateway-block-reason': (JSON.parse(reply.body) as { error: string }).error,
  });
  expect(provider.requests.length).toBe(before);
});

it.each(['GET', 'POST'] as const)(
  'a %s of an unknown endpoint takes a step of its session',
  async (method) => {
    const limits = { 'x-gateway-session-id': 's', 'x-gateway-session-max-steps': '0' };
    const reply = await ask(method, limits);
    expect([reply.status, reply.body]).toEqual([429, expect.stringContaining('"type":"max_steps_exceeded"')]);
  },
);

describe('what is no JSON, to an unknown endpoint,', () => {
  const BOUNDARY = 'X-BOUNDARY';
  const FORM = `multipart/form-data; boundary=${BOUNDARY}`;
  const form = (...fields: readonly (readonly [name: string, value: string])[]): string =>
    fields
      .map(
        ([name, value]) =>
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      .join('') + `--${BOUNDARY}--\r\n`;
  const purpose = ['purpose', 'assistants'] as const;

  async function post(
    type: string,
    body: string | Buffer,
    key?: { rawKey: string },
    path = UNKNOWN,
  ): Promise<Reply> {
    const { rawKey } = key ?? (await gateway.createKey({}));
    return send(gateway.baseUrl, {
      path,
      headers: {
        authorization: `Bearer ${rawKey}`,
        'x-gateway-provider-key': 'sk-provider-0123456789',
        'content-type': type,
      },
      body,
    });
  }

  it.each<[string, string, string | Buffer]>([
    ['a form with a file', FORM, form(purpose, ['file', 'Grüße \u0000\u0001 and bytes'])],
    ['a form with bytes', FORM, Buffer.concat([Buffer.from(form(purpose)), Buffer.from([0, 255, 254, 1])])],
    ['an url-encoded form', 'application/x-www-form-urlencoded', 'purpose=x&text=a%20b'],
    ['text', 'text/plain; charset=utf-8', 'hello'],
    ['any bytes', 'application/octet-stream', Buffer.from([0, 1, 2, 200])],
    ['sound', 'audio/wav', Buffer.from('RIFF....WAVE')],
  ])('passes byte for byte: %s', async (_what, type, body) => {
    expect((await post(type, body)).headers['x-gateway-request-id']).toBeDefined();
    const seen = provider.requests.at(-1);
    expect(seen).toMatchObject({ method: 'POST', path: '/v1/files' });
    expect(seen?.headers['content-type']).toBe(type);
    expect(seen?.body.equals(Buffer.from(body))).toBe(true);
  });

  it('is searched for the proxy key: overwritten as it is, refused in another writing', async () => {
    const key = await gateway.createKey({});
    await post(FORM, form(purpose, ['file', `my key is ${key.rawKey}.`]), key);
    const seen = provider.requests.at(-1)?.body.toString() ?? '';
    expect(seen).toContain(`my key is ${'*'.repeat(key.rawKey.length)}.`);

    const before = provider.requests.length;
    const written = key.rawKey.replaceAll('-', '%2D');
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', `key=${written}`],
      [FORM, form(['file', Buffer.from(`key ${key.rawKey} key`).toString('base64')])],
    ] as const) {
      const reply = await post(type, body, key);
      expect([reply.status, reply.body]).toEqual([400, expect.stringContaining('proxy key')]);
    }
    expect(provider.requests.length).toBe(before);
  });

  it.each<[string, number, string, string]>([
    ['JSON by another name', 400, 'text/plain', '{"purpose":"x"}'],
    ['JSON of another kind', 415, 'application/vnd.api+json', '{"purpose":"x"}'],
    ['letters that nobody here can read', 415, 'text/plain; charset=utf-16', 'hello'],
    ['two types', 415, 'text/plain, text/html', 'hello'],
    ['no type at all', 415, 'hello', 'hello'],
    ['nothing', 400, FORM, ''],
  ])('is refused where it is %s: %i', async (_what, status, type, body) => {
    const before = provider.requests.length;
    expect((await post(type, body)).status).toBe(status);
    expect(provider.requests.length).toBe(before);
  });

  it('is refused for a key with a budget, and at an endpoint that is known', async () => {
    const before = provider.requests.length;
    const poor = await gateway.createKey({}, { daily: 1 });
    expect((await post(FORM, form(purpose), poor)).status).toBe(403);
    expect((await post(FORM, form(purpose), undefined, '/openai/v1/chat/completions')).status).toBe(415);
    expect(provider.requests.length).toBe(before);
  });
});

describe('the words of what is no JSON', () => {
  it('are looked at like any others: a secret is refused where requests are searched', async () => {
    const searching = await startGateway({
      config: {
        providers: { openai: { base_url: provider.url } },
        proxy: { unknown_endpoints: 'allow' },
        server: { dlp: { enabled: true, requests: 'deny' } },
      },
    });
    try {
      const { rawKey } = await searching.createKey({});
      const post = (text: string): Promise<Reply> =>
        send(searching.baseUrl, {
          path: UNKNOWN,
          headers: {
            authorization: `Bearer ${rawKey}`,
            'x-gateway-provider-key': 'sk-provider-0123456789',
            'content-type': 'multipart/form-data; boundary=b',
          },
          body: `--b\r\nContent-Disposition: form-data; name="t"\r\n\r\n${text}\r\n--b--\r\n`,
        });
      const before = provider.requests.length;
      expect((await post('the card 4242 4242 4242 4242')).status).toBe(403);
      expect(provider.requests.length).toBe(before);
      await post('hello');
      expect(provider.requests.length).toBe(before + 1);
    } finally {
      await searching.stop();
    }
  });
});
