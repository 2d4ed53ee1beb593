import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { mcpBreakerKey } from '../../../src/redis/keys.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { send, type Reply } from '../../support/http.ts';
import { startMcpServer, type McpTestServer } from '../../support/mcp-server.ts';
import { freePort } from '../../support/ports.ts';
import { connectClient } from '../../support/mcp-rig.ts';
import { expectRefusal } from '../budgets/rig.ts';

/** docs/mcp.md, MCP circuit breaker; docs/mcp.md. */
const THRESHOLD = 5;
const WINDOW_SECONDS = 60;
const UPSTREAM_TIMEOUT_MS = 1_000;

let one: TestGateway;
/** On the same Redis and servers. */
let other: TestGateway;
let server: McpTestServer;
/** How the scripted server answers. */
let respond: (response: ServerResponse, id: unknown) => void;
/** A server of its own for each test, and for all of them the same machine behind it. */
let servers: string[];
let nextServer = 0;
let name: string;
let authorization: string;

function done(response: ServerResponse, id: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } }));
}
const withStatus =
  (status: number) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end('{"error":"no"}');
  };

beforeAll(async () => {
  server = await startMcpServer({
    era: 'sessions',
    intercept({ body }, response) {
      respond(response, (body as { id?: unknown } | undefined)?.id);
      return true;
    },
  });
  servers = Array.from({ length: 30 }, (_, nth) => `server-${String(nth)}`);
  const nobody = `http://127.0.0.1:${String(await freePort())}/mcp`;
  const config = {
    proxy: { upstream_timeout: `${String(UPSTREAM_TIMEOUT_MS)}ms` },
    mcp: {
      enabled: true,
      servers: [...servers.map((each) => ({ name: each, url: server.url })), { name: 'nobody', url: nobody }],
      circuit_breaker: { threshold: THRESHOLD, window_seconds: WINDOW_SECONDS },
    },
  };
  one = await startGateway({ config });
  other = await startGateway({ config, redis: one.redis });
});
afterAll(async () => {
  await other.stop();
  await one.stop();
  await server.close();
});
beforeEach(async () => {
  respond = done;
  name = servers[nextServer++] ?? 'none is left';
  server.requests.length = 0;
  const { rawKey } = await one.createKey();
  authorization = `Bearer ${rawKey}`;
});

interface Asked {
  readonly gateway?: TestGateway;
  readonly to?: string;
  readonly body?: object;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'read_file' } };
const NOTIFICATION = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };

function call({
  gateway = one,
  to = name,
  body = CALL,
  method = 'POST',
  signal,
}: Asked = {}): Promise<Reply> {
  return send(gateway.baseUrl, {
    path: `/mcp/${to}`,
    method,
    headers: { authorization, accept: 'text/event-stream', 'content-type': 'application/json' },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

async function times(count: number, asked: Asked = {}): Promise<number[]> {
  const statuses: number[] = [];
  for (let nth = 0; nth < count; nth++) statuses.push((await call(asked)).status);
  return statuses;
}

function expectOpen(reply: Reply): void {
  const body = JSON.parse(reply.body) as { error?: { message?: string } };
  expect(body).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: {
      code: -32000,
      message: expect.stringMatching(
        /^the MCP server [\w-]+ has failed too often: try again in (\d+ s|1 min)$/,
      ) as string,
      data: { type: 'circuit_open' },
    },
  });
  expect(reply.status).toBe(200);
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.headers['retry-after']).toMatch(/^[1-9]\d?$/);
}

function expectDone(reply: Reply): void {
  expect([reply.status, reply.body]).toEqual([200, expect.stringContaining('done')]);
}

async function open(asked: Asked = {}): Promise<void> {
  respond = withStatus(500);
  expect(await times(THRESHOLD, asked)).toEqual(Array(THRESHOLD).fill(500));
  server.requests.length = 0;
}

/** What is remembered of the server and the keys that asked it. */
const remembered = (): Promise<string[]> => one.redis.client.keys(`*${mcpBreakerKey(name)}*`);

/** Puts it back by a window, as if that had passed. */
async function windowOver(): Promise<void> {
  const { client } = one.redis;
  const back = -WINDOW_SECONDS * 1_000;
  for (const key of await remembered()) {
    if ((await client.type(key)) === 'hash') await client.hincrby(key, 'opened', back);
    else for (const failure of await client.zrange(key, '0', '-1')) await client.zincrby(key, back, failure);
  }
}

/** A key of its own for these calls; the one before it is back afterwards. */
async function asAnother<T>(ask: () => Promise<T>): Promise<T> {
  const before = authorization;
  authorization = `Bearer ${(await one.createKey()).rawKey}`;
  return ask().finally(() => (authorization = before));
}

describe('a server that fails a key five times', () => {
  it('is left alone by it at all gateways: the sixth call fails fast, as JSON-RPC with HTTP 200', async () => {
    await open();
    respond = done;
    for (const gateway of [one, other]) {
      const began = performance.now();
      expectOpen(await call({ gateway }));
      expect(performance.now() - began).toBeLessThan(UPSTREAM_TIMEOUT_MS);
    }
    expect(server.requests).toEqual([]);
    expectDone(await call({ to: servers.at(-1) ?? '' }));
  });

  it('fails fast for what cannot be answered as JSON-RPC too, with 503', async () => {
    await open();
    expectRefusal(await call({ body: NOTIFICATION }), 503, 'circuit_open');
    expectRefusal(await call({ method: 'GET' }), 503, 'circuit_open');
    expectRefusal(await call({ method: 'DELETE' }), 503, 'circuit_open');
    expect(server.requests).toEqual([]);
  });

  it('at different gateways, and all at once, is known to have', async () => {
    respond = withStatus(503);
    const replies = await Promise.all(
      Array.from({ length: THRESHOLD }, (_, nth) => call({ gateway: nth % 2 === 0 ? one : other })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(THRESHOLD).fill(503));
    expectOpen(await call());
    expectOpen(await call({ gateway: other }));
  });

  it('is read by the official client as an error of its call', async () => {
    await open();
    const url = new URL(`${one.baseUrl}/mcp/${name}`);
    await expect(connectClient({ url, headers: { authorization } })).rejects.toMatchObject({ code: -32000 });
  });

  it('is told of in log and metrics, once', async () => {
    const key = { server: name, circuit: 'key', change: 'opened' };
    await open();
    await call();
    const line = `gateway_mcp_circuit_changes_total{server="${name}",circuit="key",change="opened"} 1`;
    await vi.waitFor(async () => expect(await one.metrics()).toContain(line));
    const lines = one
      .logs()
      .split('\n')
      .filter((text) => text.includes(name) && text.includes('"change"'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject(key);
  });
});

describe('bad arguments of one key', () => {
  function badOrDone(bad: string): void {
    respond = (response, id) => (authorization === bad ? withStatus(500)(response) : done(response, id));
  }

  it('shut out that key, and no other, at any gateway', async () => {
    await open();
    badOrDone(authorization);
    for (const gateway of [one, other]) {
      expectOpen(await call({ gateway }));
      await asAnother(async () => {
        for (let nth = 0; nth < THRESHOLD + 2; nth++) expectDone(await call({ gateway }));
      });
    }
  });

  it('do not shut the others out between their own calls, nor by a second key', async () => {
    const first = authorization;
    await asAnother(async () => {
      const second = authorization;
      const innocent = `Bearer ${(await one.createKey()).rawKey}`;
      for (let nth = 0; nth < 2 * THRESHOLD; nth++) {
        for (const bad of [first, second]) {
          authorization = bad;
          badOrDone(bad);
          await call();
        }
        authorization = innocent;
        expectDone(await call());
      }
      for (const bad of [first, second]) {
        authorization = bad;
        expectOpen(await call());
      }
    });
  });
});

describe('a server that fails several keys', () => {
  it('is left alone by all: five calls of five keys, or of three', async () => {
    respond = withStatus(503);
    for (const keys of [THRESHOLD, 3]) {
      name = servers[nextServer++] ?? 'none is left';
      const each = Math.ceil(THRESHOLD / keys);
      for (let nth = 0; nth < keys; nth++) await asAnother(() => times(each));
      await asAnother(async () => {
        expectOpen(await call());
        expectOpen(await call({ gateway: other }));
      });
    }
    const line = `gateway_mcp_circuit_changes_total{server="${name}",circuit="server",change="opened"} 1`;
    await vi.waitFor(async () => expect(await one.metrics()).toContain(line));
  });

  it('is back for all with the first good probe, whoever held the place before with a bad one', async () => {
    respond = withStatus(503);
    for (let nth = 0; nth < THRESHOLD; nth++) await asAnother(() => call());
    await windowOver();
    await asAnother(async () => {
      expect((await call()).status).toBe(503);
      expectOpen(await call());
    });
    respond = done;
    await asAnother(async () => expectDone(await call({ gateway: other })));
    await asAnother(async () => expectDone(await call()));
  });
});

describe('what opens a circuit', () => {
  it('connections that cannot be made', async () => {
    expect(await times(THRESHOLD, { to: 'nobody' })).toEqual(Array(THRESHOLD).fill(502));
    expectOpen(await call({ to: 'nobody' }));
    await asAnother(async () => expectOpen(await call({ to: 'nobody', gateway: other })));
  });

  it('connections that break before the answer', async () => {
    respond = (response) => void response.destroy();
    expect(await times(THRESHOLD)).toEqual(Array(THRESHOLD).fill(502));
    expectOpen(await call());
    await asAnother(async () => expectOpen(await call()));
  });

  it('answers that do not come in time', async () => {
    respond = () => undefined;
    const replies = await Promise.all(Array.from({ length: THRESHOLD }, () => call()));
    expect(replies.map(({ status }) => status)).toEqual(Array(THRESHOLD).fill(504));
    expectOpen(await call());
    await asAnother(async () => expectOpen(await call()));
  });

  it('answers that stop in the middle, for their key alone', async () => {
    respond = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"jsonrpc":');
    };
    const replies = await Promise.all(Array.from({ length: THRESHOLD }, () => call()));
    expect(replies.map(({ status }) => status)).toEqual(Array(THRESHOLD).fill(504));
    // Where an answer broke off is told once its client has been answered.
    await vi.waitFor(async () => expectOpen(await call()), { timeout: 20_000 });
    respond = done;
    await asAnother(async () => expectDone(await call()));
  });
});

describe('what opens none', () => {
  // Credentials of servers are the gateway's affair: its client has none to mend.
  const AS_502 = [401, 403];
  it.each([400, ...AS_502, 404, 405, 409, 422, 429])('a server’s %i', async (status) => {
    respond = withStatus(status);
    const seen = AS_502.includes(status) ? 502 : status;
    expect(await times(THRESHOLD + 3)).toEqual(Array(THRESHOLD + 3).fill(seen));
    respond = done;
    expectDone(await call());
  });

  it('clients that hang up, denials, and what a server says to GETs and notifications', async () => {
    respond = () => undefined;
    for (let nth = 0; nth < THRESHOLD; nth++) {
      const gone = new AbortController();
      const reply = call({ signal: gone.signal });
      await vi.waitFor(() => expect(server.requests).toHaveLength(nth + 1));
      gone.abort();
      await reply;
    }
    respond = withStatus(501);
    expect(await times(THRESHOLD, { body: NOTIFICATION })).toEqual(Array(THRESHOLD).fill(501));
    expect(await times(THRESHOLD, { method: 'GET' })).toEqual(Array(THRESHOLD).fill(501));
    const { rawKey } = await one.createKey({ allowedTools: [] });
    authorization = `Bearer ${rawKey}`;
    expect(await times(THRESHOLD)).toEqual(Array(THRESHOLD).fill(200));
    authorization = `Bearer ${(await one.createKey()).rawKey}`;
    respond = done;
    expectDone(await call());
    expect(await remembered()).toEqual([]);
  });

  it('failures that are further apart than the window', async () => {
    respond = withStatus(500);
    await times(THRESHOLD - 1);
    await windowOver();
    expect(await times(THRESHOLD - 1)).toEqual(Array(THRESHOLD - 1).fill(500));
    respond = done;
    expectDone(await call());
  });
});

describe('after the window', () => {
  it('one call of many, at all gateways, is the probe; all pass once it has succeeded', async () => {
    await open();
    await windowOver();
    const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
    respond = (response, id) => void hold.then(() => done(response, id));
    const replies = Array.from({ length: 40 }, (_, nth) => call({ gateway: nth % 2 === 0 ? one : other }));
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    const refused: Reply[] = [];
    for (const reply of replies) void reply.then((early) => refused.push(early));
    await vi.waitFor(() => expect(refused).toHaveLength(39), { timeout: 5_000 });
    for (const reply of refused) expect(reply.body).toContain('circuit_open');
    answer(undefined);
    const all = await Promise.all(replies);
    expect(all.filter(({ body }) => body.includes('done'))).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
    for (const gateway of [one, other]) expectDone(await call({ gateway }));
    expect(await remembered()).toEqual([]);
  });

  it('a probe that fails leaves the circuit open for another window', async () => {
    await open();
    await windowOver();
    expect((await call({ gateway: other })).status).toBe(500);
    respond = done;
    expectOpen(await call());
    await windowOver();
    expectDone(await call());
    expectDone(await call());
  });

  it('a probe whose client hangs up gives its place to the next call', async () => {
    await open();
    await windowOver();
    respond = () => undefined;
    const gone = new AbortController();
    const probe = call({ signal: gone.signal });
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    gone.abort();
    await probe;
    respond = done;
    await vi.waitFor(async () => expectDone(await call({ gateway: other })));
  });
});

describe('without Redis', () => {
  it('nothing passes', async () => {
    const own = await startGateway({
      config: { mcp: { enabled: true, servers: [{ name, url: server.url }] } },
    });
    try {
      authorization = `Bearer ${(await own.createKey()).rawKey}`;
      expectDone(await call({ gateway: own }));
      await own.redis.stop();
      expectRefusal(await call({ gateway: own }), 503, 'redis_unavailable');
      expect(server.requests).toHaveLength(1);
    } finally {
      await own.stop();
    }
  });
});
