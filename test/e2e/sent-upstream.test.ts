import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROVIDER_NAMES, type ProviderName } from '../../src/providers/registry.ts';
import { HEADER_NAMES } from '../support/header-names.ts';
import { send, type Reply } from '../support/http.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { ALWAYS, CHAT, COMMON, PAGES, ROWS } from './sent-upstream/rows.ts';
import { createRawProvider, type RawProvider } from '../support/raw-provider.ts';
import type { Recorded } from '../support/recorder.ts';

/** docs/routing.md: beside the body, an upstream gets only the listed headers and parameters of a client. */
let upstream: RawProvider;
let gateway: TestGateway;
/** Searches requests, and masks findings. */
let masking: TestGateway;
let rawKey: string;

const PROVIDER_KEY = 'sk-provider-0123456789';
const SIGV4_KEY = 'AKIAIOSFODNN7EXAMPLE:wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYxx';

beforeAll(async () => {
  upstream = await createRawProvider();
  const server = { name: 'files', url: `${upstream.url}/mcp`, headers: { 'X-Own': 'of-the-server' } };
  const config = {
    providers: Object.fromEntries(ROWS.map(({ provider }) => [provider, { base_url: upstream.url }])),
    mcp: { enabled: true, servers: [server] },
  };
  gateway = await startGateway({ config });
  masking = await startGateway({ config: { ...config, server: { dlp: { requests: 'mask' } } } });
  ({ rawKey } = await gateway.createKey({ allowedProviders: [...PROVIDER_NAMES] }));
});
afterAll(async () => {
  await gateway.stop();
  await masking.stop();
  await upstream.close();
});

/** Envoy accepts 100 headers in one request. */
const AT_ONCE = 60;

/** Sends all of these, some in each request, and returns the names and values that came through. */
async function cameThrough(
  names: readonly string[],
  ask: (headers: Record<string, string>) => Promise<Recorded>,
): Promise<ReadonlyMap<string, string>> {
  const came = new Map<string, string>();
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const batch = names.slice(from, from + AT_ONCE);
    const { headers } = await ask(Object.fromEntries(batch.map((name) => [name, valueOf(name)])));
    for (const [name, value] of Object.entries(headers)) came.set(name, String(value));
  }
  return came;
}

function valueOf(name: string): string {
  if (name === 'content-type') return 'application/json';
  return name === 'accept' ? 'application/json' : `v-${name}`;
}

function randomNames(): string[] {
  return Array.from(
    { length: 40 },
    () => `x-${randomBytes(1 + Math.floor(Math.random() * 12)).toString('hex')}`,
  );
}

async function forwarded(to: TestGateway, options: Parameters<typeof send>[1]): Promise<Recorded> {
  const before = upstream.requests.length;
  const reply = await send(to.baseUrl, options);
  const request = upstream.requests[before];
  if (request === undefined) throw new Error(`${String(reply.status)} ${reply.body}`);
  return request;
}

function credentials(provider: ProviderName, key = rawKey): Record<string, string> {
  return {
    authorization: `Bearer ${key}`,
    'x-gateway-provider-key': provider === 'bedrock' ? SIGV4_KEY : PROVIDER_KEY,
    'content-type': 'application/json',
  };
}

it('every provider is tested', () => {
  expect(ROWS.map(({ provider }) => provider)).toEqual(PROVIDER_NAMES);
});

describe.each(ROWS)('$provider', ({ provider, path, body, headers, parameters }) => {
  const text = JSON.stringify(body);

  it('gets its listed headers, as sent, and no others', async () => {
    const names = [...HEADER_NAMES, ...randomNames()];
    const came = await cameThrough(names, (more) =>
      forwarded(gateway, { path, headers: { ...more, ...credentials(provider) }, body: text }),
    );
    const sent = new Set([...ALWAYS, ...COMMON, ...headers]);
    expect([...came.keys()].sort()).toEqual([...sent].sort());
    for (const name of [...COMMON, ...headers]) {
      if (names.includes(name) && !name.startsWith('x-amz-'))
        expect(came.get(name), name).toBe(valueOf(name));
    }
    expect(came.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('gets its listed query parameters, in their own spelling, and no others', async () => {
    // Gemini's other parameters are refused (docs/routing.md).
    const others = provider === 'gemini' ? [] : OTHER_PARAMETERS;
    const own = provider === 'gemini' ? ['pageSize', 'alt=json'] : [...PAGES, ...parameters];
    const query = [...others, ...own].map((name) => (name.includes('=') ? name : `${name}=x`));
    const { path: came } = await forwarded(gateway, {
      path: `${path}?${query.join('&')}`,
      headers: credentials(provider),
      body: text,
    });
    expect(came.slice(came.indexOf('?'))).toBe(
      `?${own.map((name) => (name.includes('=') ? name : `${name}=x`)).join('&')}`,
    );
  });
});

const OTHER_PARAMETERS = [
  'model',
  'deployment',
  'service_tier',
  'user',
  '_method',
  'X-HTTP-Method-Override',
  'Limit',
  '%6cimit',
  'limit%00',
  'fields',
  'callback',
  'x',
  'beta[]',
];

describe('an MCP server', () => {
  const CALL = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'echo', arguments: { a: 'one' } },
  });

  it('gets the headers of MCP and its own, and no others', async () => {
    const came = await cameThrough(
      [...HEADER_NAMES.filter((name) => name !== 'origin'), ...randomNames()],
      (more) =>
        forwarded(gateway, {
          path: '/mcp/files?limit=5&token=x',
          headers: {
            ...more,
            'mcp-protocol-version': '2025-11-25',
            'mcp-method': 'tools/call',
            'mcp-name': 'echo',
            'mcp-param-a': 'one',
            authorization: `Bearer ${rawKey}`,
            'content-type': 'application/json',
          },
          body: CALL,
        }),
    );
    expect([...came.keys()].sort()).toEqual(
      [
        ...ALWAYS,
        'accept',
        'last-event-id',
        'mcp-method',
        'mcp-name',
        'mcp-param-a',
        'mcp-protocol-version',
        'user-agent',
        'x-own',
      ].sort(),
    );
    expect(upstream.requests.at(-1)?.path).toBe('/mcp');
  });

  it.each(['last-event-id', 'user-agent', 'mcp-protocol-version', 'accept'])(
    'is not sent a %s with a secret or a mail address if requests are searched',
    async (name) => {
      const key = await masking.createKey({});
      for (const value of SENSITIVE) {
        const { headers } = await forwarded(masking, {
          path: '/mcp/files',
          headers: {
            authorization: `Bearer ${key.rawKey}`,
            'content-type': 'application/json',
            [name]: value,
          },
          body: CALL,
        });
        expect(JSON.stringify(headers)).not.toContain(value);
      }
    },
  );
});

const TOKEN = 'ghp_016C7fVe2a4b6c8d0e2f4a6b8c0d2e4f6a8b';
const SENSITIVE = ['jane.doe@corp.io', TOKEN];

describe('the data beside the body', () => {
  it('includes the tokens of a trace if the gateway continues it', async () => {
    const receiver = await createRawProvider();
    const tracing = await startGateway({
      redis: gateway.redis,
      config: {
        providers: { openai: { base_url: upstream.url } },
        otel: { enabled: true, endpoint: receiver.url, protocol: 'http' },
        server: { dlp: { requests: 'mask' } },
      },
    });
    try {
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      await chat(tracing, rawKey, { traceparent, tracestate: 'vendor=1' });
      expect(upstream.requests.at(-1)?.headers).toMatchObject({
        traceparent: expect.stringContaining(traceparent.slice(0, 35)) as string,
        tracestate: 'vendor=1',
      });
      await chat(tracing, rawKey, { traceparent, tracestate: `vendor=${TOKEN}` });
      const { headers } = upstream.requests.at(-1) ?? { headers: {} };
      expect(headers).toHaveProperty('traceparent');
      expect(headers).not.toHaveProperty('tracestate');
    } finally {
      await tracing.stop();
      await receiver.close();
    }
  });

  const chat = (
    to: TestGateway,
    key: string,
    more: Record<string, string>,
    path = '/openai/v1/chat/completions',
  ): Promise<Reply> =>
    send(to.baseUrl, {
      path,
      headers: { ...credentials('openai', key), ...more },
      body: JSON.stringify(CHAT),
    });

  it('is searched under `requests: mask`: a header with a finding is removed, the others are sent', async () => {
    const key = await masking.createKey({});
    for (const name of ['user-agent', 'idempotency-key', 'openai-beta', 'x-client-request-id', 'accept']) {
      for (const value of SENSITIVE) {
        const reply = await chat(masking, key.rawKey, { 'x-stainless-lang': 'js', [name]: `a ${value} b` });
        expect(reply.status).toBe(200);
        const { headers } = upstream.requests.at(-1) ?? { headers: {} };
        expect(JSON.stringify(headers)).not.toContain(value);
        expect(headers).toMatchObject({ 'x-stainless-lang': 'js' });
        expect(headers).not.toHaveProperty(name);
      }
    }
  });

  it.each<[string, string]>([
    ['a parameter', '?after=jane.doe%40corp.io'],
    ['a parameter that is encoded twice', '?after=jane.doe%2540corp.io'],
    ['a parameter with spaces', `?after=the+token+${TOKEN}`],
    ['a segment', ''],
  ])('is refused if it cannot be removed: %s', async (_what, query) => {
    const key = await masking.createKey({});
    const before = upstream.requests.length;
    const reply = await send(masking.baseUrl, {
      path: query === '' ? '/openai/v1/models/jane.doe%40corp.io' : `/openai/v1/models${query}`,
      headers: credentials('openai', key.rawKey),
    });
    expect([reply.status, reply.body]).toEqual([403, expect.stringContaining('member name, URL')]);
    expect(upstream.requests.length).toBe(before);
  });

  it('is refused under `requests: deny`, and by policy rules for secrets', async () => {
    const redis = { redis: gateway.redis };
    const providers = { openai: { base_url: upstream.url } };
    const denying = await startGateway({
      ...redis,
      config: { providers, server: { dlp: { requests: 'deny' } } },
    });
    const ruled = await startGateway({
      ...redis,
      config: { providers, policy: { enabled: true, presets: ['safety'] } },
    });
    try {
      for (const to of [denying, ruled]) {
        const before = upstream.requests.length;
        for (const [more, path] of [
          [{ 'user-agent': TOKEN }],
          [{ 'idempotency-key': `k ${TOKEN}` }],
          [{}, `/openai/v1/chat/completions?after=${TOKEN}`],
        ] as const) {
          const reply = await chat(to, rawKey, more, path);
          expect([reply.status, reply.body]).toEqual([403, expect.stringContaining('policy_denied')]);
        }
        expect(upstream.requests.length).toBe(before);
        // A header that is not sent is not searched.
        expect((await chat(to, rawKey, { 'x-other': TOKEN })).status).toBe(200);
      }
    } finally {
      await denying.stop();
      await ruled.stop();
    }
  });
});
