import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestBudget, type TestGateway } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';

/** docs/routing.md: unreadable requests pass only if allowed, and if no other rule depends on their content. */
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

/** One request of a new key, with or without a body. */
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

describe('a body other than JSON, to an unknown endpoint,', () => {
  const BOUNDARY = 'X-BOUNDARY';
  const MAIL = 'write to jane.doe@corp.io';
  const part = (header: string, value: string): string =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"\r\n${header}\r\n\r\n${value}\r\n--${BOUNDARY}--\r\n`;
  function inForm(file: Buffer): Buffer[] {
    const [before = '', after = ''] = part('Content-Type: application/octet-stream', '§').split('§');
    return [Buffer.from(before), file, Buffer.from(after)];
  }
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
    ['a form with a file', FORM, form(purpose, ['file', 'Grüße\r\n\tand words'])],
    ['an url-encoded form', 'application/x-www-form-urlencoded', 'purpose=x&text=a%20b'],
    ['text', 'text/plain; charset=utf-8', 'hello'],
    ['text under any type', 'application/octet-stream', 'hello'],
  ])('passes byte for byte: %s', async (_what, type, body) => {
    expect((await post(type, body)).headers['x-gateway-request-id']).toBeDefined();
    const seen = provider.requests.at(-1);
    expect(seen).toMatchObject({ method: 'POST', path: '/v1/files' });
    expect(seen?.headers['content-type']).toBe(type);
    expect(seen?.body.equals(Buffer.from(body))).toBe(true);
  });

  it('is searched for the proxy key: overwritten if plain, refused if encoded', async () => {
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
    ['an unsupported character set', 415, 'text/plain; charset=utf-16', 'hello'],
    ['two types', 415, 'text/plain, text/html', 'hello'],
    ['no type at all', 415, 'hello', 'hello'],
    ['nothing', 400, FORM, ''],
  ])('is refused if it is %s: %i', async (_what, status, type, body) => {
    const before = provider.requests.length;
    expect((await post(type, body)).status).toBe(status);
    expect(provider.requests.length).toBe(before);
  });

  it.each<[string, string, string | Buffer]>([
    ['UTF-16', 'text/plain', Buffer.from(MAIL, 'utf16le')],
    ['UTF-16 with its mark', 'text/plain', Buffer.from(`\ufeff${MAIL}`, 'utf16le')],
    ['UTF-32', 'text/plain', Buffer.from([...MAIL].flatMap((letter) => [letter.charCodeAt(0), 0, 0, 0]))],
    ['Latin-1', 'text/plain', Buffer.from(`é ${MAIL}`, 'latin1')],
    ['gzip', 'application/octet-stream', gzipSync(MAIL)],
    ['deflate', 'application/octet-stream', deflateSync(MAIL)],
    ['brotli', 'application/octet-stream', brotliCompressSync(MAIL)],
    ['any bytes', 'application/octet-stream', Buffer.from([0, 1, 2, 200])],
    ['a form with UTF-16 in a file', FORM, Buffer.concat(inForm(Buffer.from(MAIL, 'utf16le').swap16()))],
    ['a form with gzip in a file', FORM, Buffer.concat(inForm(gzipSync(MAIL)))],
    [
      'a part in base64',
      FORM,
      part('Content-Transfer-Encoding: base64', Buffer.from(MAIL).toString('base64')),
    ],
    [
      'a part in quoted-printable',
      FORM,
      part('content-transfer-encoding:quoted-printable', 'jane=2Edoe=40corp.io'),
    ],
    [
      'a part whose coding is folded',
      FORM,
      part('Content-Transfer-Encoding:\r\n base64', 'amFuZS5kb2VAY29ycC5pbw=='),
    ],
    ['a part in UTF-7', FORM, part('Content-Type: text/plain; charset="utf-7"', 'jane.doe+AEA-corp.io')],
    ['a part with a coding', FORM, part('Content-Encoding: gzip', 'x')],
    ['a field that names the charset', FORM, form(['_charset_', 'utf-7'], ['x', 'jane.doe+AEA-corp.io'])],
    ['words of a header', FORM, part('X-Note: =?utf-8?B?amFuZS5kb2VAY29ycC5pbw==?=', 'x')],
  ])('is refused if it cannot be read: %s', async (_what, type, body) => {
    const before = provider.requests.length;
    const reply = await post(type, body);
    expect([reply.status, reply.body]).toEqual([415, expect.stringContaining('unsupported_media_type')]);
    expect(provider.requests.length).toBe(before);
  });

  it('is refused if a header declares an encoding', async () => {
    const { rawKey } = await gateway.createKey({});
    const before = provider.requests.length;
    const reply = await send(gateway.baseUrl, {
      path: UNKNOWN,
      headers: {
        authorization: `Bearer ${rawKey}`,
        'x-gateway-provider-key': 'sk-provider-0123456789',
        'content-type': 'text/plain',
        'content-transfer-encoding': 'base64',
      },
      body: Buffer.from(MAIL).toString('base64'),
    });
    expect(reply.status).toBe(415);
    expect(provider.requests.length).toBe(before);
  });

  it('is refused for a key with a budget, and at a known endpoint', async () => {
    const before = provider.requests.length;
    const poor = await gateway.createKey({}, { daily: 1 });
    expect((await post(FORM, form(purpose), poor)).status).toBe(403);
    expect((await post(FORM, form(purpose), undefined, '/openai/v1/chat/completions')).status).toBe(415);
    expect(provider.requests.length).toBe(before);
  });
});

describe('the text of a body other than JSON', () => {
  it('is searched like any other: a secret is refused under `requests`', async () => {
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
      for (const text of [
        'the card 4242 4242 4242 4242',
        'jane.doe%40corp.io',
        'jane.doe%2540corp.io',
        'jane.doe&#64;corp.io',
        'jane.doe&#x40;corp.io',
        '{"mail":"jane.doe\\u0040corp.io"}',
      ]) {
        expect((await post(text)).status, text).toBe(403);
      }
      expect(provider.requests.length).toBe(before);
      await post('hello');
      expect(provider.requests.length).toBe(before + 1);
    } finally {
      await searching.stop();
    }
  });
});

describe('a list of patterns', () => {
  let listing: TestGateway;
  let all: string;
  const providers = ['openai', 'gemini', 'azure', 'openrouter', 'vllm', 'ollama'] as const;

  beforeAll(async () => {
    listing = await startGateway({
      redis: gateway.redis,
      config: {
        providers: Object.fromEntries(providers.map((name) => [name, { base_url: provider.url }])),
        proxy: {
          unknown_endpoints: [
            'POST /openai/v1/assistants',
            'GET /openai/v1/files/*/content',
            ...['gemini', 'azure', 'openrouter', 'vllm', 'ollama'].flatMap((name) => [
              `GET /${name}/**`,
              `POST /${name}/**`,
            ]),
          ],
        },
      },
    });
    ({ rawKey: all } = await listing.createKey({ allowedProviders: [...providers] }));
  });
  afterAll(() => listing.stop());

  const request = (to: TestGateway, method: 'GET' | 'POST', path: string, body: object = { words: 'x' }) =>
    send(to.baseUrl, {
      method,
      path,
      headers: {
        authorization: `Bearer ${all}`,
        'x-gateway-provider-key': 'sk-provider-0123456789',
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    });

  it.each([
    ['POST', '/openai/v1/assistants'],
    ['GET', '/openai/v1/files/file-1/content'],
    ['POST', '/gemini/v1beta/models/imagen-4:predict'],
    ['POST', '/azure/openai/deployments/whisper/audio/transcriptions?api-version=2024-10-21'],
    ['GET', '/openrouter/v1/generation?limit=1'],
    ['POST', '/vllm/tokenize'],
    ['POST', '/vllm/v1/audio/transcriptions'],
    ['POST', '/ollama/api/show'],
  ] as const)('opens its matches: %s %s', async (method, path) => {
    const before = provider.requests.length;
    await request(listing, method, path);
    expect(provider.requests.slice(before).map((one) => `${one.method} ${one.path}${one.query}`)).toEqual([
      `${method} ${path.replace(/^\/[a-z]+/, '')}`,
    ]);
  });

  it.each([
    ['GET', '/openai/v1/assistants'],
    ['POST', '/openai/v1/assistants/a'],
    ['POST', '/openai/v1/files'],
    ['GET', '/openai/v1/files'],
    ['GET', '/openai/v1/files/a/b/content'],
    ['GET', '/openai/v1/files//content'],
  ] as const)('opens nothing else: %s %s', async (method, path) => {
    const before = provider.requests.length;
    expect((await request(listing, method, path)).status).toBe(403);
    expect(provider.requests.length).toBe(before);
  });

  const SPELLINGS = [
    '/v1/chat/completions;a',
    '/v1/chat/completions;a=b',
    '/v1/chat;x/completions',
    '/v1/Chat/Completions',
    '/V1/CHAT/COMPLETIONS',
    '/v1/chat/completions/',
    '/v1/chat/completions//',
    '/v1//chat/completions/',
    '/v1/chat/completions.',
    '/v1/chat/completions.json',
    '/v1/chat/completions%20',
    '/v1/chat/completions%3Ba',
    '/v1/chat/completions%3F',
    '/v1/%63hat/completions',
    '/v1/chat/%43ompletions',
    '/v1/chat/completions,',
    '/v1/chat/completions*',
    '/v1/chat/completions:x',
    '/v1/chat/completions~',
    '/v1/chat/completions@x',
    '/v1/chat/completions$',
    '/v1/v1/chat/completions',
    '/chat/completions',
    '/v2/chat/completions',
    '/openai/v1/chat/completions',
  ];
  it.each([
    ...SPELLINGS.flatMap((path) => [`/openrouter${path}`, `/openai${path}`]),
    '/vllm/V1/Completions',
    '/ollama/API/chat',
    '/ollama/api/chat;x',
    '/gemini/v1beta/models/gemini-2.5-flash:GenerateContent',
    '/gemini/v1beta/models/gemini-2.5-flash:generatecontent',
    '/gemini/v1beta/models/gemini-2.5-flash:generateContent;a',
    '/gemini/v1beta/Models/gemini-2.5-flash:generateContent',
    '/gemini/v1beta/models/gemini-2.5-flash:generateContent?fields=candidates',
    '/azure/OpenAI/deployments/d/chat/completions',
    '/azure/openai/deployments/d/chat/completions/',
    '/azure/openai/deployments/d/chat/completions?api-version=1&API-VERSION=2',
  ])('never opens another spelling of a known path: %s', async (path) => {
    const before = provider.requests.length;
    for (const to of [listing, gateway]) {
      const { status } = await request(to, 'POST', path);
      expect([400, 403, 404]).toContain(status);
    }
    expect(provider.requests.length).toBe(before);
  });

  it.each([
    ['POST', '/ollama/api/pull'],
    ['POST', '/ollama/api/push'],
    ['POST', '/ollama/api/create'],
    ['POST', '/ollama/api/copy'],
    ['POST', '/ollama/api/delete'],
    ['POST', '/ollama/api/blobs/sha256:29fdb92e57cf0827ded04ae6461b5931d01fa595843f55d36f5b275a52087dd2'],
    ['POST', '/ollama/api/Pull'],
    ['POST', '/ollama/api/me'],
    ['GET', '/ollama/api/anything-new'],
    ['POST', '/vllm/v1/load_lora_adapter'],
    ['POST', '/vllm/v1/unload_lora_adapter'],
    ['GET', '/vllm/metrics'],
    ['POST', '/vllm/sleep'],
    ['POST', '/vllm/wake_up'],
    ['POST', '/vllm/reset_prefix_cache'],
    ['GET', '/vllm/server_info'],
    ['POST', '/vllm/collective_rpc'],
    ['POST', '/vllm/start_profile'],
    ['GET', '/vllm/anything-new'],
    ['POST', '/vllm/invocations'],
    ['GET', '/openrouter/v1/keys'],
    ['POST', '/openrouter/v1/keys'],
    ['GET', '/openrouter/v1/credits'],
    ['GET', '/openrouter/v1/key'],
    ['POST', '/gemini/v1beta/tunedModels'],
    ['POST', '/gemini/v1beta/tunedModels/t:transferOwnership'],
    ['POST', '/gemini/v1beta/corpora/c/permissions'],
    ['POST', '/gemini/v1alpha/auth_tokens'],
    ['POST', '/azure/openai/fine_tuning/jobs'],
    ['GET', '/azure/openai/deployments'],
    ['POST', '/azure/openai/realtimeapi/sessions/../../realtime/client_secrets'],
    ['POST', '/azure/openai/v1/realtime/client_secrets'],
  ] as const)('never opens a path that manages a provider: %s %s', async (method, path) => {
    const before = provider.requests.length;
    expect([400, 403]).toContain((await request(listing, method, path)).status);
    expect(provider.requests.length).toBe(before);
  });

  it.each([
    ['GET', '/openai/v1/organization/admin_api_keys'],
    ['POST', '/openai/v1/organization/projects'],
    ['GET', '/openai/v1/organization/usage/completions'],
    ['POST', '/openai/v1/fine_tuning/jobs'],
    ['POST', '/openai/v1/realtime/sessions'],
    ['POST', '/openai/v1/chatkit/sessions'],
    ['POST', '/openai/v1/Organization/Projects'],
  ] as const)('nor does `allow`: %s %s', async (method, path) => {
    const before = provider.requests.length;
    expect([403, 404]).toContain((await request(gateway, method, path)).status);
    expect(provider.requests.length).toBe(before);
  });

  it.each<[string, object]>([
    ['an assistant', { model: 'm', tools: [{ type: 'code_interpreter' }] }],
    [
      'beside a function',
      { tools: [{ type: 'file_search' }, { type: 'function', function: { name: 'f' } }] },
    ],
    [
      'an attachment of a message',
      { thread: { messages: [{ attachments: [{ tools: [{ type: 'file_search' }] }] }] } },
    ],
    ['a choice', { tool_choice: { type: 'code_interpreter' } }],
    [
      'requests of a batch',
      { requests: [{ params: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] } }] },
    ],
    ['a tool of Google’s', { batch: [{ request: { tools: [{ googleSearch: {} }] } }] }],
    ['in snake case', { tools: { google_search: {} } }],
    ['a switch', { a: { b: { web_search_options: {} } } }],
    ['servers', { agent: { mcp_servers: [{ url: 'https://x.example' }] } }],
    ['a name alone', { tools: ['web_search'] }],
    ['in other case', { Tools: [{ type: 'mcp', server_url: 'https://x.example' }] }],
    ['an unknown type', { tools: [{ type: 'brand_new' }] }],
  ])('a hosted tool is refused in any place: %s', async (_what, body) => {
    const before = provider.requests.length;
    const reply = await request(listing, 'POST', '/openai/v1/assistants', body);
    if (reply.status !== 403) {
      const sent = provider.requests.at(-1)?.body.toString() ?? '';
      expect(sent).not.toMatch(/code_interpreter|file_search|web_search|google|mcp|brand_new/i);
      expect(reply.headers['x-gateway-tools-removed']).toBeDefined();
    } else expect(provider.requests.length).toBe(before);
  });

  it('tools that a client runs pass', async () => {
    const tools = [
      {
        type: 'function',
        function: { name: 'f', parameters: { type: 'object', properties: { plugins: {} } } },
      },
      { name: 'g', input_schema: { type: 'object' } },
      { functionDeclarations: [{ name: 'h' }] },
    ];
    await request(listing, 'POST', '/openai/v1/assistants', { tools });
    expect(JSON.parse(provider.requests.at(-1)?.body.toString() ?? '{}')).toEqual({ tools });
  });
});
