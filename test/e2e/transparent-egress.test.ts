import { Agent, request } from 'node:https';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestCa, type TestCa } from '../support/certs.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import { send, type Reply, type SendOptions } from '../support/http.ts';

/** docs/serving.md: transparent egress is an exact table of authorities to providers. */
let ca: TestCa;
let provider: FakeProvider;
let gateway: TestGateway;
let key: TestKey;
beforeAll(async () => {
  ca = await createTestCa();
  const hosts = ['api.openai.com', 'api.anthropic.com', 'api.groq.com', '127.0.0.1'];
  const { certFile, keyFile } = await ca.issue('egress', hosts);
  provider = await createFakeProvider();
  const upstream = { base_url: provider.url };
  gateway = await startGateway({
    config: {
      server: { tls: { cert_file: certFile, key_file: keyFile }, error_format: 'native' },
      proxy: {
        authorities: {
          'api.openai.com': 'openai',
          'api.anthropic.com': 'anthropic',
          'api.groq.com': 'groq',
        },
      },
      providers: {
        openai: upstream,
        anthropic: upstream,
        groq: { base_url: `${provider.url}/openai` },
      },
    },
  });
  key = await gateway.createKey({ allowedProviders: ['openai', 'anthropic', 'groq'] }, { daily: 10 });
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
  ca.close();
});

/** Acts like DNS or a mesh: the host's name stays in the request and in TLS, the connection goes to the gateway. */
const redirected: typeof fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const asked = new Request(url, init);
  const body = Buffer.from(await asked.arrayBuffer());
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: gateway.port,
        servername: url.hostname,
        ca: ca.ca,
        method: asked.method,
        path: url.pathname + url.search,
        headers: { ...Object.fromEntries(asked.headers), host: url.host },
      },
      (answer) => {
        const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]);
        resolve(new Response(ReadableStream.from(answer), { status: answer.statusCode ?? 0, headers }));
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
};

const PROVIDER_KEY = { 'X-Gateway-Provider-Key': 'sk-test' };
const messages = [{ role: 'user' as const, content: 'Hello!' }];

/** Accepts any Host header: certificates contain no hostile ones. */
const tls = new Agent({ servername: 'api.openai.com' });

function ask(authority: string, options: SendOptions = {}): Promise<Reply> {
  return send(gateway.baseUrl, {
    path: '/v1/chat/completions',
    body: JSON.stringify({ model: 'gpt-4o', messages }),
    ca: ca.ca,
    agent: tls,
    ...options,
    headers: {
      host: authority,
      authorization: `Bearer ${key.rawKey}`,
      'content-type': 'application/json',
      ...PROVIDER_KEY,
      ...options.headers,
    },
  });
}

describe('a client that knows only its provider', () => {
  it('of OpenAI is served at its own base URL, whole and streamed', async () => {
    const client = new OpenAI({
      apiKey: key.rawKey,
      defaultHeaders: PROVIDER_KEY,
      maxRetries: 0,
      fetch: redirected,
    });
    expect(client.baseURL).toBe('https://api.openai.com/v1');
    const { data, response } = await client.chat.completions
      .create({ model: 'gpt-4o', messages })
      .withResponse();
    expect(data.choices[0]?.message.content).toBeTruthy();
    expect(Number(response.headers.get('x-gateway-request-cost'))).toBeGreaterThan(0);
    const last = provider.requests.at(-1);
    expect(last).toMatchObject({ path: '/v1/chat/completions' });
    expect(last?.headers['authorization']).toBe('Bearer sk-test');
    let text = '';
    for await (const chunk of await client.chat.completions.create({
      model: 'gpt-4o',
      messages,
      stream: true,
    }))
      text += chunk.choices[0]?.delta.content ?? '';
    expect(text).not.toBe('');
  });

  it('of Anthropic too, and gets refusals in its own format', async () => {
    const client = (apiKey: string): Anthropic =>
      new Anthropic({ apiKey, defaultHeaders: PROVIDER_KEY, maxRetries: 0, fetch: redirected });
    const order = { model: 'claude-sonnet-4-5', max_tokens: 50, messages };
    expect((await client(key.rawKey).messages.create(order)).content).not.toEqual([]);
    await expect(client('gw-unknown').messages.create(order)).rejects.toBeInstanceOf(
      Anthropic.AuthenticationError,
    );
  });

  it('may use the path prefix that its provider has before the version', async () => {
    const body = JSON.stringify({ model: 'llama-3.1-8b-instant', messages });
    const reply = await ask('api.groq.com', { path: '/openai/v1/chat/completions', body });
    expect(reply.status).toBe(200);
    expect(provider.requests.at(-1)).toMatchObject({ path: '/openai/v1/chat/completions' });
  });
});

describe('everything else is refused', () => {
  it.each([
    ['another host', 'api.mistral.ai', '/v1/chat/completions'],
    ['the gateway’s own address', '127.0.0.1', '/v1/chat/completions'],
    ['a path with a provider at the gateway’s own address', '127.0.0.1', '/openai/v1/chat/completions'],
    ['a host with a dot at its end', 'api.openai.com.', '/v1/chat/completions'],
    ['another port', 'api.openai.com:8443', '/v1/chat/completions'],
    ['two hosts', 'api.openai.com,evil.example', '/v1/chat/completions'],
  ])('%s', async (_what, host, path) => {
    const before = provider.requests.length;
    const reply = await ask(host, { path });
    expect([reply.status, JSON.parse(reply.body)]).toEqual([
      404,
      { error: expect.stringContaining('proxy.authorities') as string, type: 'unknown_provider' },
    ]);
    expect((await ask(host, { path, headers: { authorization: 'Bearer gw-unknown' } })).status).toBe(401);
    expect(provider.requests.length).toBe(before);
  });

  it('a key in the path or in the query', async () => {
    const before = provider.requests.length;
    const noKey = { authorization: 'Bearer sk-test' };
    const inPath = `/${key.rawKey}/v1/chat/completions`;
    expect((await ask('api.openai.com', { path: inPath, headers: noKey })).status).toBe(401);
    const beside = await ask('api.openai.com', { path: inPath });
    expect([beside.status, beside.body.includes(key.rawKey)]).toEqual([404, false]);
    const inQuery = `/v1/chat/completions?key=${key.rawKey}`;
    expect((await ask('api.openai.com', { path: inQuery, headers: noKey })).status).toBe(401);
    expect(provider.requests.length).toBe(before);
    expect(gateway.logs()).not.toContain(key.rawKey);
  });

  it('a provider’s prefix, which is not one of its paths', async () => {
    const reply = await ask('api.openai.com', { path: '/openai/v1/chat/completions' });
    expect(reply.status).toBe(404);
  });
});
