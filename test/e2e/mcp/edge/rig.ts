import type { ServerResponse } from 'node:http';
import { expect, beforeAll, afterAll, beforeEach } from 'vitest';
import { type McpRig, startMcpRig } from '../../../support/mcp-rig.ts';
import type { McpRecorded } from '../../../support/mcp-server.ts';
import { type SendOptions, type Reply, send } from '../../../support/http.ts';

export const ORIGIN = 'https://app.example';
export const MAX_REQUEST = 20_000;
export const UPSTREAM_TIMEOUT_MS = 2_000;

type Name = 'files';

export let rig: McpRig<Name>;
export let auth: Record<string, string>;
export let rawKey: string;
/** How the server answers; ends the response itself. */
export let respond: (request: McpRecorded, response: ServerResponse) => void;
export function respondWith(next: typeof respond): void {
  respond = next;
}

export const call = (name: string, args: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

export const NEW = '2026-07-28';

export function post(body: unknown, options: SendOptions = {}): Promise<Reply> {
  return send(rig.gateway.baseUrl, {
    path: '/mcp/files',
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...options,
    headers: { ...auth, ...options.headers },
  });
}

/** Sends a message that must pass, and returns the message that the server received. */
export async function forwarded(body: unknown, options: SendOptions = {}): Promise<McpRecorded> {
  const before = rig.servers.files.requests.length;
  const reply = await post(body, options);
  expect([reply.status, reply.body]).toEqual([200, expect.stringContaining('done')]);
  const got = rig.servers.files.requests.slice(before);
  expect(got).toHaveLength(1);
  return got[0] as McpRecorded;
}

/** Sends a message that must be refused, and expects that nothing reached the server. */
export async function refused(send_: () => Promise<Reply>): Promise<Reply> {
  const before = rig.servers.files.requests.length;
  const reply = await send_();
  expect(rig.servers.files.requests).toHaveLength(before);
  return reply;
}

export interface RpcRefusal {
  readonly id: unknown;
  readonly error: { readonly code: number; readonly message: string };
}

/** The JSON-RPC error that every MCP client reads, with our own `type` at the top level. */
export function expectRefusal(reply: Reply, status: number, type: string): RpcRefusal {
  expect([reply.status, reply.body]).toEqual([status, expect.stringContaining(`"type":"${type}"`)]);
  const refusal = JSON.parse(reply.body) as RpcRefusal;
  expect(refusal).toEqual({
    jsonrpc: '2.0',
    id: expect.toSatisfy((id) => id === null || typeof id === 'number' || typeof id === 'string') as unknown,
    error: {
      code: expect.toBeOneOf([-32000, -32001, -32600]) as number,
      message: expect.not.stringContaining('provider') as string,
      data: expect.objectContaining({ type }) as object,
    },
    type,
  });
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.headers['x-gateway-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  const isPolicy = type === 'policy_denied';
  expect(reply.headers['x-gateway-policy-block']).toBe(isPolicy ? 'true' : undefined);
  if (isPolicy) expect(reply.headers['x-gateway-block-reason']).toMatch(/^[\x21-\x7e][\x20-\x7e]{0,255}$/);
  return refusal;
}
export function useRig(): void {
  beforeAll(async () => {
    rig = await startMcpRig(
      {
        files: {
          era: 'sessions',
          intercept(request, response) {
            respond(request, response);
            return true;
          },
        },
      },
      {
        proxy: { upstream_timeout: `${UPSTREAM_TIMEOUT_MS}ms` },
        mcp: {
          max_request_size: MAX_REQUEST,
          allowed_origins: [ORIGIN],
          circuit_breaker: { enabled: false },
        },
      },
    );
    const access = await rig.access('files');
    rawKey = access.rawKey;
    auth = { ...access.headers, 'content-type': 'application/json' };
  });
  afterAll(() => rig.close());
  beforeEach(() => {
    respond = ({ body }, response) => {
      const id = (body as { id?: unknown } | undefined)?.id;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } }),
      );
    };
  });
}
