import { expect, it, vi } from 'vitest';
import { startGateway } from '../../../support/gateway.ts';
import type { Reply } from '../../../support/http.ts';
import { expectRefusal } from '../../budgets/rig.ts';
import {
  one,
  other,
  server,
  now,
  done,
  call,
  expectOpen,
  expectDone,
  open,
  remembered,
  windowOver,
} from './rig.ts';

export function afterTheWindow(): void {
  it('one of many calls across all gateways is the probe; all pass once it has succeeded', async () => {
    await open();
    await windowOver();
    const { promise: hold, resolve: answer } = Promise.withResolvers<undefined>();
    now.respond = (response, id) => void hold.then(() => done(response, id));
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
    now.respond = done;
    expectOpen(await call());
    await windowOver();
    expectDone(await call());
    expectDone(await call());
  });

  it('a probe whose client disconnects gives its place to the next call', async () => {
    await open();
    await windowOver();
    now.respond = () => undefined;
    const gone = new AbortController();
    const probe = call({ signal: gone.signal });
    await vi.waitFor(() => expect(server.requests).toHaveLength(1));
    gone.abort();
    await probe;
    now.respond = done;
    await vi.waitFor(async () => expectDone(await call({ gateway: other })));
  });
}

export function withoutRedis(): void {
  it('nothing passes', async () => {
    const own = await startGateway({
      config: { mcp: { enabled: true, servers: [{ name: now.name, url: server.url }] } },
    });
    try {
      now.authorization = `Bearer ${(await own.createKey()).rawKey}`;
      expectDone(await call({ gateway: own }));
      await own.redis.stop();
      expectRefusal(await call({ gateway: own }), 503, 'redis_unavailable');
      expect(server.requests).toHaveLength(1);
    } finally {
      await own.stop();
    }
  });
}
