import { expect, it, vi } from 'vitest';
import { connectClient } from '../../../support/mcp-rig.ts';
import { expectRefusal } from '../../budgets/rig.ts';
import {
  THRESHOLD,
  UPSTREAM_TIMEOUT_MS,
  one,
  other,
  server,
  now,
  servers,
  newServer,
  done,
  withStatus,
  call,
  times,
  expectOpen,
  expectDone,
  open,
  remembered,
  windowOver,
} from './rig.ts';

const NOTIFICATION = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };

/** Uses a separate key for these calls, and restores the previous one afterwards. */
async function asAnother<T>(ask: () => Promise<T>): Promise<T> {
  const before = now.authorization;
  now.authorization = `Bearer ${(await one.createKey()).rawKey}`;
  return ask().finally(() => (now.authorization = before));
}

export function failedByOneKey(): void {
  it('gets no more of its calls at any gateway: the sixth call fails fast, as JSON-RPC with HTTP 200', async () => {
    await open();
    now.respond = done;
    for (const gateway of [one, other]) {
      const began = performance.now();
      expectOpen(await call({ gateway }));
      expect(performance.now() - began).toBeLessThan(UPSTREAM_TIMEOUT_MS);
    }
    expect(server.requests).toEqual([]);
    expectDone(await call({ to: servers.at(-1) ?? '' }));
  });

  it('causes fast 503 refusals of messages that have no JSON-RPC answer', async () => {
    await open();
    expectRefusal(await call({ body: NOTIFICATION }), 503, 'circuit_open');
    expectRefusal(await call({ method: 'GET' }), 503, 'circuit_open');
    expectRefusal(await call({ method: 'DELETE' }), 503, 'circuit_open');
    expect(server.requests).toEqual([]);
  });

  it('is recognized across gateways, also for simultaneous calls', async () => {
    now.respond = withStatus(503);
    const replies = await Promise.all(
      Array.from({ length: THRESHOLD }, (_, nth) => call({ gateway: nth % 2 === 0 ? one : other })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(THRESHOLD).fill(503));
    expectOpen(await call());
    expectOpen(await call({ gateway: other }));
  });

  it('is reported by the official client as an error of its call', async () => {
    await open();
    const url = new URL(`${one.baseUrl}/mcp/${now.name}`);
    await expect(connectClient({ url, headers: { authorization: now.authorization } })).rejects.toMatchObject(
      { code: -32000 },
    );
  });

  it('is reported in log and metrics, once', async () => {
    const key = { server: now.name, circuit: 'key', change: 'opened' };
    await open();
    await call();
    const line = `gateway_mcp_circuit_changes_total{server="${now.name}",circuit="key",change="opened"} 1`;
    await vi.waitFor(async () => expect(await one.metrics()).toContain(line));
    const lines = (): string[] =>
      one
        .logs()
        .split('\n')
        .filter((text) => text.includes(now.name) && text.includes('"change"'));
    await expect.poll(lines).toHaveLength(1);
    expect(JSON.parse(lines()[0] ?? '{}')).toMatchObject(key);
  });
}

export function badArguments(): void {
  function badOrDone(bad: string): void {
    now.respond = (response, id) =>
      now.authorization === bad ? withStatus(500)(response) : done(response, id);
  }

  it('block only that key, at every gateway', async () => {
    await open();
    badOrDone(now.authorization);
    for (const gateway of [one, other]) {
      expectOpen(await call({ gateway }));
      await asAnother(async () => {
        for (let nth = 0; nth < THRESHOLD + 2; nth++) expectDone(await call({ gateway }));
      });
    }
  });

  it('do not block other keys that call in between, nor with a second key', async () => {
    const first = now.authorization;
    await asAnother(async () => {
      const second = now.authorization;
      const innocent = `Bearer ${(await one.createKey()).rawKey}`;
      for (let nth = 0; nth < 2 * THRESHOLD; nth++) {
        for (const bad of [first, second]) {
          now.authorization = bad;
          badOrDone(bad);
          await call();
        }
        now.authorization = innocent;
        expectDone(await call());
      }
      for (const bad of [first, second]) {
        now.authorization = bad;
        expectOpen(await call());
      }
    });
  });
}

export function failedBySeveralKeys(): void {
  it('gets no more calls from any key: five calls of five keys, or of three', async () => {
    now.respond = withStatus(503);
    for (const keys of [THRESHOLD, 3]) {
      now.name = newServer();
      const each = Math.ceil(THRESHOLD / keys);
      for (let nth = 0; nth < keys; nth++) await asAnother(() => times(each));
      await asAnother(async () => {
        expectOpen(await call());
        expectOpen(await call({ gateway: other }));
      });
    }
    const line = `gateway_mcp_circuit_changes_total{server="${now.name}",circuit="server",change="opened"} 1`;
    await vi.waitFor(async () => expect(await one.metrics()).toContain(line));
  });

  it('recovers for all with the first successful probe, even after a failed one of another key', async () => {
    now.respond = withStatus(503);
    for (let nth = 0; nth < THRESHOLD; nth++) await asAnother(() => call());
    await windowOver();
    await asAnother(async () => {
      expect((await call()).status).toBe(503);
      expectOpen(await call());
    });
    now.respond = done;
    await asAnother(async () => expectDone(await call({ gateway: other })));
    await asAnother(async () => expectDone(await call()));
  });
}

export function opensCircuits(): void {
  it('failed connections', async () => {
    expect(await times(THRESHOLD, { to: 'unreachable' })).toEqual(Array(THRESHOLD).fill(502));
    expectOpen(await call({ to: 'unreachable' }));
    await asAnother(async () => expectOpen(await call({ to: 'unreachable', gateway: other })));
  });

  it('connections that break before the answer', async () => {
    now.respond = (response) => void response.destroy();
    expect(await times(THRESHOLD)).toEqual(Array(THRESHOLD).fill(502));
    expectOpen(await call());
    await asAnother(async () => expectOpen(await call()));
  });

  it('answers that do not arrive in time', async () => {
    now.respond = () => undefined;
    const replies = await Promise.all(Array.from({ length: THRESHOLD }, () => call()));
    expect(replies.map(({ status }) => status)).toEqual(Array(THRESHOLD).fill(504));
    expectOpen(await call());
    await asAnother(async () => expectOpen(await call()));
  });

  it('answers that break off, for their key only', async () => {
    now.respond = (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"jsonrpc":');
    };
    const replies = await Promise.all(Array.from({ length: THRESHOLD }, () => call()));
    expect(replies.map(({ status }) => status)).toEqual(Array(THRESHOLD).fill(504));
    // A broken answer is recorded only after its client has been answered.
    await vi.waitFor(async () => expectOpen(await call()), { timeout: 20_000 });
    now.respond = done;
    await asAnother(async () => expectDone(await call()));
  });
}

export function opensNone(): void {
  // Credentials of servers are the operator's; the client cannot fix them.
  const AS_502 = [401, 403];
  it.each([400, ...AS_502, 404, 405, 409, 422, 429])('a server’s %i', async (status) => {
    now.respond = withStatus(status);
    const seen = AS_502.includes(status) ? 502 : status;
    expect(await times(THRESHOLD + 3)).toEqual(Array(THRESHOLD + 3).fill(seen));
    now.respond = done;
    expectDone(await call());
  });

  it('disconnecting clients, refusals, and answers to GETs and notifications', async () => {
    now.respond = () => undefined;
    for (let nth = 0; nth < THRESHOLD; nth++) {
      const gone = new AbortController();
      const reply = call({ signal: gone.signal });
      await vi.waitFor(() => expect(server.requests).toHaveLength(nth + 1));
      gone.abort();
      await reply;
    }
    now.respond = withStatus(501);
    expect(await times(THRESHOLD, { body: NOTIFICATION })).toEqual(Array(THRESHOLD).fill(501));
    expect(await times(THRESHOLD, { method: 'GET' })).toEqual(Array(THRESHOLD).fill(501));
    const { rawKey } = await one.createKey({ allowedTools: [] });
    now.authorization = `Bearer ${rawKey}`;
    expect(await times(THRESHOLD)).toEqual(Array(THRESHOLD).fill(200));
    now.authorization = `Bearer ${(await one.createKey()).rawKey}`;
    now.respond = done;
    expectDone(await call());
    expect(await remembered()).toEqual([]);
  });

  it('failures further apart than the window', async () => {
    now.respond = withStatus(500);
    await times(THRESHOLD - 1);
    await windowOver();
    expect(await times(THRESHOLD - 1)).toEqual(Array(THRESHOLD - 1).fill(500));
    now.respond = done;
    expectDone(await call());
  });
}
