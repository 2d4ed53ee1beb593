import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestCa, type Identity, type TestCa } from '../support/certs.ts';
import { startGateway, type TestGateway, type TestKey } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { onLoopback, type Loopback } from '../support/loopback.ts';
import { askWith } from '../support/ask-provider.ts';

/** Servers at the address of a configured provider or MCP server that are not the real ones. */
const PROVIDER_KEY = 'sk-provider-0123456789abcdef';
const PROMPT = 'the quarterly figures are not public';
const DAY_MS = 86_400_000;

/** A server that records every received byte, decrypted if it has a certificate, and answers each request. */
interface Imposter extends Loopback {
  readonly received: () => string;
  readonly connections: () => number;
}

const BODY = JSON.stringify({
  id: 'x',
  model: 'gpt-4o',
  choices: [{ index: 0, message: { content: 'stolen' } }],
});
const ANSWER = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${String(BODY.length)}\r\n\r\n${BODY}`;

async function startImposter(identity: Identity | undefined): Promise<Imposter> {
  let received = '';
  let connections = 0;
  function serve(socket: Socket): void {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1');
      socket.write(ANSWER);
    });
  }
  const server: Server =
    identity === undefined
      ? createTcpServer(serve)
      : createTlsServer({ cert: identity.cert, key: identity.key }, serve);
  server.on('connection', () => (connections += 1));
  server.on('tlsClientError', () => undefined);
  const loopback = await onLoopback(server);
  return { ...loopback, received: () => received, connections: () => connections };
}

let ca: TestCa;
let otherCa: TestCa;
let gateway: TestGateway;
let key: TestKey;
const imposters = new Map<string, Imposter>();

/** The imposters, by the provider that they replace. */
const PLACES = {
  mistral: 'a certificate for another name',
  groq: 'a certificate for the address, not for the name',
  deepseek: 'a certificate of an unknown authority',
  xai: 'a certificate that has expired',
  together: 'a certificate that is not valid yet',
  fireworks: 'no TLS',
} as const;
type Place = keyof typeof PLACES;
const places = Object.keys(PLACES) as Place[];

function identityFor(place: Place): Promise<Identity> | undefined {
  const name = ['localhost'];
  switch (place) {
    case 'mistral':
      return ca.issue('another', ['api.another.test']);
    case 'groq':
      return ca.issue('address', ['127.0.0.1']);
    case 'deepseek':
      return otherCa.issue('unknown', name);
    case 'xai':
      return ca.issue('expired', name, { from: Date.now() - 2 * DAY_MS, until: Date.now() - DAY_MS });
    case 'together':
      return ca.issue('early', name, { from: Date.now() + DAY_MS, until: Date.now() + 2 * DAY_MS });
    case 'fireworks':
      return undefined;
  }
}

beforeAll(async () => {
  [ca, otherCa] = [await createTestCa(), await createTestCa()];
  for (const place of places) imposters.set(place, await startImposter(await identityFor(place)));
  imposters.set('openai', await startImposter(await ca.issue('openai', ['localhost'])));
  const urls = [...imposters].map(([name, { port }]) => [name, `https://localhost:${String(port)}`] as const);
  gateway = await startGateway({
    config: {
      providers: Object.fromEntries(urls.map(([name, base_url]) => [name, { base_url, ca_file: ca.caFile }])),
      mcp: { enabled: true, servers: urls.map(([name, url]) => ({ name, url, headers: MCP_HEADERS })) },
    },
    env: { SSL_CERT_FILE: ca.caFile },
  });
  key = await gateway.createKey({ allowedProviders: places });
});
afterAll(async () => {
  await gateway.stop();
  for (const imposter of imposters.values()) await imposter.close();
  ca.close();
  otherCa.close();
});

const MCP_SECRET = 'mcp-credential-0123456789';
const MCP_HEADERS = { 'x-api-token': MCP_SECRET };

function imposterAt(place: string): Imposter {
  const imposter = imposters.get(place);
  if (imposter === undefined) throw new Error(`no imposter at ${place}`);
  return imposter;
}

const chat = (provider: string): Promise<Reply> =>
  askWith(
    gateway,
    key.rawKey,
    `/${provider}/v1/chat/completions`,
    { model: 'gpt-4o', messages: [{ role: 'user', content: PROMPT }] },
    { 'x-gateway-provider-key': PROVIDER_KEY },
  );

const callTool = (server: string): Promise<Reply> =>
  send(gateway.baseUrl, {
    path: `/mcp/${server}/tools/call`,
    headers: {
      authorization: `Bearer ${key.rawKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { text: PROMPT } },
    }),
  });

/** Expects that no part of the request arrived: at most the beginning of a TLS handshake, which names the host. */
function expectNothingSent(place: string): void {
  const imposter = imposterAt(place);
  expect(imposter.connections()).toBeGreaterThan(0);
  for (const secret of [PROVIDER_KEY, PROMPT, MCP_SECRET, key.rawKey, 'HTTP/1.1', 'tools/call', 'gpt-4o']) {
    expect(imposter.received()).not.toContain(secret);
  }
  if (place !== 'fireworks') expect(imposter.received()).toBe('');
}

describe('instead of a provider', () => {
  it.each(places.map((place) => [PLACES[place], place] as const))(
    'a server with %s gets nothing',
    async (_who, place) => {
      const reply = await chat(place);
      expect([reply.status, JSON.parse(reply.body)]).toEqual([
        502,
        expect.objectContaining({ type: 'upstream_unavailable' }),
      ]);
      expect(reply.body).not.toContain('stolen');
      expectNothingSent(place);
    },
  );

  it('the provider itself gets the request', async () => {
    const reply = await chat('openai');
    expect([reply.status, reply.body]).toEqual([200, expect.stringContaining('stolen')]);
    expect(imposterAt('openai').received()).toContain(PROMPT);
  });
});

describe('instead of an MCP server', () => {
  it.each(places.map((place) => [PLACES[place], place] as const))(
    'a server with %s gets nothing',
    async (_who, place) => {
      const reply = await callTool(place);
      expect(reply.body).not.toContain('stolen');
      expect(reply.body).toMatch(/upstream_unavailable|circuit_open/);
      expectNothingSent(place);
    },
  );

  it('the server itself gets the call, and its credential', async () => {
    await callTool('openai');
    expect(imposterAt('openai').received()).toContain(MCP_SECRET);
  });
});
