import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { it, expect } from 'vitest';
import { withHostileHeaders } from '../../../support/mcp-server.ts';
import { send, type Reply } from '../../../support/http.ts';
import { cli } from '../../budgets/rig.ts';
import { post, call, expectRefusal, rig, UPSTREAM_TIMEOUT_MS, auth, rawKey, respondWith } from './rig.ts';

export function failures(): void {
  it('keeps its own errors', async () => {
    respondWith((_request, response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"broken"}}');
    });
    const reply = await post(call('echo'));
    expect([reply.status, reply.body]).toEqual([500, expect.stringContaining('broken')]);
  });

  it('that disconnects is 502', async () => {
    respondWith((_request, response) => response.destroy());
    const refusal = expectRefusal(await post(call('echo', {}, 'lost')), 502, 'upstream_unavailable');
    expect([refusal.id, refusal.error]).toEqual([
      'lost',
      { code: -32000, message: 'the MCP server cannot be reached', data: { type: 'upstream_unavailable' } },
    ]);
  });

  it.each([401, 403, 407])(
    'that refuses the gateway (%i) is 502, and sends no client to authorize',
    async (status) => {
      respondWith((_request, response) => {
        response.writeHead(status, {
          'content-type': 'application/json',
          'www-authenticate': 'Bearer resource_metadata="https://evil.example/"',
        });
        response.end('{"error":"invalid_token"}');
      });
      const reply = await post(call('echo'));
      const { error } = expectRefusal(reply, 502, 'upstream_unavailable');
      expect(error.message).toContain(`HTTP ${status}`);
      expect(error.message).toContain('mcp.servers[].headers');
      expect(JSON.stringify(reply)).not.toMatch(/evil|of-the-server-alone|www-authenticate/);
    },
  );

  it.each([301, 302, 307, 308])(
    'that redirects (%i) is 502: a client that followed would bypass the gateway',
    async (status) => {
      respondWith((_request, response) =>
        response.writeHead(status, { location: `${rig.servers.files.url}/` }).end(),
      );
      const reply = await post(call('echo'));
      expectRefusal(reply, 502, 'upstream_unavailable');
      expect(reply.headers.location).toBeUndefined();
    },
  );

  it('that does not answer is 504 after proxy.upstream_timeout', async () => {
    respondWith(() => undefined);
    const began = performance.now();
    expectRefusal(await post(call('echo')), 504, 'upstream_timeout');
    expect(performance.now() - began).toBeGreaterThan(UPSTREAM_TIMEOUT_MS - 100);
  });
}

export function answerHeaders(): void {
  const NEEDED = {
    'mcp-session-id': 'given-out-1',
    'mcp-protocol-version': '2025-11-25',
    'cache-control': 'no-cache, no-transform',
    'retry-after': '7',
    'x-accel-buffering': 'no',
    allow: 'POST, GET, DELETE',
    date: 'Sun, 22 Nov 2026 10:00:00 GMT',
  };
  const MESSAGE = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}';
  const ERROR = '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"done"}}';
  const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const json = (status: number, body: string) => (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  function events(response: ServerResponse) {
    response.writeHead(200, { 'content-type': 'text/event-stream', trailer: 'location' });
    response.write(`data: ${MESSAGE}\n\n`);
    response.addTrailers({ location: 'https://evil.example/', 'mcp-evil': 'evil.example' });
    response.end();
  }
  function inChunks(response: ServerResponse) {
    response.writeHead(200, { 'content-type': 'application/json', trailer: 'location' });
    response.write(MESSAGE.slice(0, 20));
    response.addTrailers({ location: 'https://evil.example/' });
    response.end(MESSAGE.slice(20));
  }
  const afterEarlyHints = (response: ServerResponse) =>
    response.writeEarlyHints(
      { link: '<https://evil.example/>; rel=preload', location: 'https://evil.example/' },
      () => json(200, MESSAGE)(response),
    );

  it.each<[string, number, (response: ServerResponse) => unknown, object?]>([
    ['a whole answer', 200, json(200, MESSAGE)],
    ['a whole answer in chunks, with trailers', 200, inChunks],
    ['a whole answer after early hints', 200, afterEarlyHints],
    ['a stream, with trailers', 200, events],
    ['an empty answer to a notification', 202, (response) => response.writeHead(202).end(), INITIALIZED],
    ['words after a notification', 202, (response) => response.writeHead(202).end('Accepted'), INITIALIZED],
    ['a created one', 201, json(201, MESSAGE)],
    ['a bad request', 400, json(400, ERROR)],
    ['no such session', 404, json(404, ERROR)],
    ['too many requests', 429, json(429, ERROR)],
    ['a fault', 500, json(500, ERROR)],
    ['a fault without a word', 503, (response) => response.writeHead(503).end()],
  ])('are only those that a client needs: in %s', async (_what, status, answer, body) => {
    respondWith((request, response) => {
      for (const [name, value] of Object.entries(NEEDED)) response.setHeader(name, value);
      withHostileHeaders(request, response);
      answer(response);
    });
    for (const path of ['/mcp/files', ...(body === undefined ? ['/mcp/files/tools/call'] : [])]) {
      const reply = await post(body ?? call('echo'), { path });
      expect([reply.status, reply.cut]).toEqual([status, false]);
      expectNeeded(reply);
    }
  });

  it.each<[string, string, number, (response: ServerResponse) => unknown]>([
    ['the server’s own stream', 'GET', 200, events],
    ['a stream that it does not have', 'GET', 405, json(405, ERROR)],
    ['an ended session', 'DELETE', 200, (response) => response.writeHead(200).end()],
    ['an ended session, without a word', 'DELETE', 204, (response) => response.writeHead(204).end()],
    ['a session that is kept', 'DELETE', 405, json(405, ERROR)],
  ])('are only these: in %s', async (_what, method, status, answer) => {
    const { 'content-type': _none, ...headers } = auth;
    respondWith((request, response) => {
      for (const [name, value] of Object.entries(NEEDED)) response.setHeader(name, value);
      withHostileHeaders(request, response);
      answer(response);
    });
    const reply = await send(rig.gateway.baseUrl, { method, path: '/mcp/files', headers });
    expect([reply.status, reply.cut]).toEqual([status, false]);
    expectNeeded(reply);
  });

  it.each([300, 301, 302, 303, 305, 307, 308, 399])(
    'of a %i do not come from the server, with or without a location',
    async (status) => {
      for (const names of [[], ['location'], ['refresh', 'link', 'content-location']]) {
        respondWith((_request, response) => {
          for (const name of names) response.setHeader(name, 'https://evil.example/');
          json(status, MESSAGE)(response);
        });
        const reply = await post(call('echo'));
        expectRefusal(reply, 502, 'upstream_unavailable');
        expect(JSON.stringify(reply)).not.toContain('evil.example');
      }
    },
  );

  it('of a refused answer are the gateway’s own', async () => {
    respondWith((request, response) => {
      for (const [name, value] of Object.entries(NEEDED)) response.setHeader(name, value);
      withHostileHeaders(request, response);
      json(200, 'no message')(response);
    });
    const reply = await post(call('echo'));
    expectRefusal(reply, 502, 'upstream_unavailable');
    expect(JSON.stringify(reply)).not.toContain('evil.example');
  });

  function expectNeeded({ headers, trailers, body }: Reply): void {
    expect(headers).toMatchObject(NEEDED);
    const carried = ['connection', 'content-length', 'content-type', 'transfer-encoding', 'keep-alive'];
    const ours = ['x-gateway-request-id'];
    expect(
      Object.keys(headers).filter((name) => ![...Object.keys(NEEDED), ...carried, ...ours].includes(name)),
    ).toEqual([]);
    expect(trailers).toEqual({});
    expect(JSON.stringify([headers, body])).not.toContain('evil.example');
  }
}

export function ownStream(): void {
  const listen = (key = rawKey, onText?: (text: string) => void): Promise<Reply> =>
    send(rig.gateway.baseUrl, {
      path: '/mcp/files',
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
      ...(onText !== undefined && { onText }),
    });

  it.each([
    ['locked', 'quarantined', 'quarantine', 'set'],
    ['revoked', 'invalid_key', 'keys', 'revoke'],
  ])(
    'is cut at its next event once its key is %s',
    async (_how, type, ...command) => {
      const key = await rig.gateway.createKey();
      let hungUp: () => void = () => undefined;
      const serverFreed = new Promise<void>((resolve) => (hungUp = resolve));
      respondWith((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const message = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
        const beat = setInterval(() => response.write(`data: ${message}\n\n`), 50);
        response.on('close', () => {
          clearInterval(beat);
          hungUp();
        });
      });
      let refusing: Promise<unknown> | undefined;
      const reply = await listen(key.rawKey, () => {
        refusing ??= cli(rig.gateway, ...command, key.keyHash);
      });
      await Promise.all([refusing, serverFreed]);
      const last = reply.body.trimEnd().split('\n\n').at(-1) ?? '';
      expect(JSON.parse(last.slice('data: '.length))).toMatchObject({
        jsonrpc: '2.0',
        error: { code: -32000, data: { type } },
      });
    },
    15_000,
  );

  it('stays open as long as anything arrives, even only comments', async () => {
    const beats = 16;
    respondWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      void (async () => {
        for (let beat = 0; beat < beats; beat++) {
          await delay(UPSTREAM_TIMEOUT_MS / 10);
          response.write(': beat\n\n');
        }
        response.end();
      })();
    });
    const began = performance.now();
    const reply = await listen();
    expect([reply.status, reply.cut]).toEqual([200, false]);
    expect(reply.body.match(/: beat/g)).toHaveLength(beats);
    expect(performance.now() - began).toBeGreaterThan(UPSTREAM_TIMEOUT_MS * 1.5);
  }, 15_000);

  it('is closed after proxy.upstream_timeout of silence, and the client may reopen it', async () => {
    respondWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1\ndata: \n\n');
    });
    const began = performance.now();
    const reply = await listen();
    expect(reply.cut).toBe(true);
    expect(reply.body).toContain('id: 1');
    expect(performance.now() - began).toBeLessThan(UPSTREAM_TIMEOUT_MS * 3);
  }, 15_000);
}
