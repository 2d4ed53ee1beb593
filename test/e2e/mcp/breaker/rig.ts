import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { mcpBreakerKey } from '../../../../src/redis/keys.ts';
import { startGateway, type TestGateway } from '../../../support/gateway.ts';
import { send, type Reply } from '../../../support/http.ts';
import { startMcpServer, type McpTestServer } from '../../../support/mcp-server.ts';
import { freePort } from '../../../support/ports.ts';

/** docs/mcp-breaker.md. */
export const THRESHOLD = 5;

const WINDOW_SECONDS = 60;

export const UPSTREAM_TIMEOUT_MS = 1_000;

export let one: TestGateway;

/** On the same Redis and servers. */
export let other: TestGateway;

export let server: McpTestServer;

/** Set by the running test. */
export const now = { respond: done, name: '', authorization: '' };

/** A separate server name for each test; all of them lead to the same process. */
export const servers = Array.from({ length: 30 }, (_, nth) => `server-${String(nth)}`);

let nextServer = 0;

/** Returns a server name that no test has used yet. */
export function newServer(): string {
  return servers[nextServer++] ?? 'none is left';
}

export function done(response: ServerResponse, id: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } }));
}

export const withStatus =
  (status: number) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end('{"error":"no"}');
  };

export interface Asked {
  readonly gateway?: TestGateway;
  readonly to?: string;
  readonly body?: object;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'read_file' } };

export function call({
  gateway = one,
  to = now.name,
  body = CALL,
  method = 'POST',
  signal,
}: Asked = {}): Promise<Reply> {
  return send(gateway.baseUrl, {
    path: `/mcp/${to}`,
    method,
    headers: {
      authorization: now.authorization,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}

export async function times(count: number, asked: Asked = {}): Promise<number[]> {
  const statuses: number[] = [];
  for (let nth = 0; nth < count; nth++) statuses.push((await call(asked)).status);
  return statuses;
}

export function expectOpen(reply: Reply): void {
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

export function expectDone(reply: Reply): void {
  expect([reply.status, reply.body]).toEqual([200, expect.stringContaining('done')]);
}

export async function open(asked: Asked = {}): Promise<void> {
  now.respond = withStatus(500);
  expect(await times(THRESHOLD, asked)).toEqual(Array(THRESHOLD).fill(500));
  server.requests.length = 0;
}

/** The stored circuits of the server and of the keys that called it. */
export const remembered = (): Promise<string[]> => one.redis.client.keys(`*${mcpBreakerKey(now.name)}*`);

/** Moves the stored times back by one window, as if it had passed. */
export async function windowOver(): Promise<void> {
  const { client } = one.redis;
  const back = -WINDOW_SECONDS * 1_000;
  for (const key of await remembered()) {
    if ((await client.type(key)) === 'hash') await client.hincrby(key, 'opened', back);
    else for (const failure of await client.zrange(key, '0', '-1')) await client.zincrby(key, back, failure);
  }
}

/** Two gateways on one Redis, and a scripted server. */
export function useRig(): void {
  beforeAll(async () => {
    server = await startMcpServer({
      era: 'sessions',
      intercept({ body }, response) {
        now.respond(response, (body as { id?: unknown } | undefined)?.id);
        return true;
      },
    });
    const unreachable = `http://127.0.0.1:${String(await freePort())}/mcp`;
    const config = {
      proxy: { upstream_timeout: `${String(UPSTREAM_TIMEOUT_MS)}ms` },
      mcp: {
        enabled: true,
        servers: [
          ...servers.map((each) => ({ name: each, url: server.url })),
          { name: 'unreachable', url: unreachable },
        ],
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
    now.respond = done;
    now.name = newServer();
    server.requests.length = 0;
    const { rawKey } = await one.createKey();
    now.authorization = `Bearer ${rawKey}`;
  });
}
