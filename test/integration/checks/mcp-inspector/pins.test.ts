import { describe, expect, it } from 'vitest';
import { createMemoryPinStore } from '../../../../src/checks/mcp-inspector/memory-store.ts';
import { MAX_PINNED_TOOLS, type PinStore } from '../../../../src/checks/mcp-inspector/store.ts';
import { createRedisPinStore } from '../../../../src/checks/mcp-inspector/redis-store.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { mcpPinsKey } from '../../../../src/redis/keys.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { connect, useRedis } from '../budget/support.ts';

let redis: TestRedis;
let client: RedisClient;
useRedis((started) => ({ redis, client } = started));

let servers = 0;
const newServer = (): string => `server-${String(++servers)}`;
const START = 1_760_000_000_000;

describe.each<[string, (now: () => number) => PinStore]>([
  ['in Redis', (now) => createRedisPinStore({ client, deadlineMs: 2_500, now })],
  ['in memory', (now) => createMemoryPinStore(now)],
])('pins %s', (_where, storeAt) => {
  function rig() {
    const clock = { now: START };
    return { clock, pins: storeAt(() => clock.now), server: newServer() };
  }
  const tool = (name: string, digest: string) => ({ name, digest });

  it('keep the first definition, and report a different one', async () => {
    const { clock, pins, server } = rig();
    expect(await pins.show(server, [tool('add', 'A'), tool('sub', 'S')])).toEqual(['new', 'new']);
    clock.now += 1_000;
    expect(await pins.show(server, [tool('sub', 'S'), tool('add', 'B'), tool('mul', 'M')])).toEqual([
      'same',
      'changed',
      'new',
    ]);
    expect(await pins.isChanged(server, 'add')).toBe(true);
    expect(await pins.isChanged(server, 'sub')).toBe(false);
    expect(await pins.isChanged(server, 'unheard of')).toBe(false);
    expect(await pins.list(server)).toEqual([
      { tool: 'add', digest: 'A', pinnedAt: START, change: { digest: 'B', seenAt: START + 1_000 } },
      { tool: 'mul', digest: 'M', pinnedAt: START + 1_000 },
      { tool: 'sub', digest: 'S', pinnedAt: START },
    ]);
  });

  it('answer repeated queries equally, and remember when a change was first seen', async () => {
    const { clock, pins, server } = rig();
    await pins.show(server, [tool('add', 'A')]);
    await pins.show(server, [tool('add', 'B')]);
    clock.now += 5_000;
    expect(await pins.show(server, [tool('add', 'B')])).toEqual(['changed']);
    expect((await pins.list(server))[0]?.change).toEqual({ digest: 'B', seenAt: START });
  });

  it('withhold a changed tool until an operator accepts it', async () => {
    const { pins, server } = rig();
    await pins.show(server, [tool('add', 'A')]);
    await pins.show(server, [tool('add', 'B')]);
    expect(await pins.show(server, [tool('add', 'A')])).toEqual(['held']);
    expect(await pins.isChanged(server, 'add')).toBe(true);
    expect(await pins.accept(server, { tool: 'add' })).toEqual([{ tool: 'add', digest: 'A' }]);
    expect(await pins.show(server, [tool('add', 'A')])).toEqual(['same']);
    expect(await pins.isChanged(server, 'add')).toBe(false);
  });

  it('accept the changed definition of one tool, or of all', async () => {
    const { clock, pins, server } = rig();
    await pins.show(server, [tool('a', '1'), tool('b', '1'), tool('c', '1'), tool('d', '1')]);
    await pins.show(server, [tool('a', '2'), tool('b', '2'), tool('c', '2')]);
    clock.now += 1_000;
    expect(await pins.accept(server, { tool: 'b' })).toEqual([{ tool: 'b', digest: '2' }]);
    expect(await pins.accept(server, { tool: 'b' })).toEqual([]);
    expect(await pins.accept(server, { tool: 'd' })).toEqual([]);
    expect(await pins.accept(server)).toEqual([
      { tool: 'a', digest: '2' },
      { tool: 'c', digest: '2' },
    ]);
    expect(await pins.list(server)).toEqual([
      { tool: 'a', digest: '2', pinnedAt: START + 1_000 },
      { tool: 'b', digest: '2', pinnedAt: START + 1_000 },
      { tool: 'c', digest: '2', pinnedAt: START + 1_000 },
      { tool: 'd', digest: '1', pinnedAt: START },
    ]);
    expect(await pins.show(server, [tool('a', '1')])).toEqual(['changed']);
  });

  it('accept only the named definition', async () => {
    const { pins, server } = rig();
    await pins.show(server, [tool('add', 'one')]);
    await pins.show(server, [tool('add', 'two')]);
    await pins.show(server, [tool('add', 'three')]);
    expect(await pins.accept(server, { tool: 'add', digest: 'two' })).toEqual([]);
    expect(await pins.isChanged(server, 'add')).toBe(true);
    expect(await pins.accept(server, { tool: 'add', digest: 'three and more' })).toEqual([]);
    expect(await pins.accept(server, { tool: 'add', digest: 'thr' })).toEqual([
      { tool: 'add', digest: 'three' },
    ]);
    expect(await pins.show(server, [tool('add', 'three')])).toEqual(['same']);
  });

  it('separate tools of the same name by their servers', async () => {
    const { pins, server } = rig();
    await pins.show(server, [tool('add', 'A')]);
    expect(await pins.show(newServer(), [tool('add', 'B')])).toEqual(['new']);
  });

  it('distinguish names of any form', async () => {
    const { pins, server } = rig();
    const names = ['changed:add', 'pin:add', 'add add', '*', 'ä💥', ''];
    expect(
      await pins.show(
        server,
        names.map((name) => tool(name, 'A')),
      ),
    ).toEqual(names.map(() => 'new'));
    expect(await pins.isChanged(server, 'add')).toBe(false);
    await pins.show(server, [tool('pin:add', 'B')]);
    expect(await pins.accept(server)).toEqual([{ tool: 'pin:add', digest: 'B' }]);
  });

  it('hold at most a server’s maximum of tools', async () => {
    const { pins, server } = rig();
    const tools = Array.from({ length: MAX_PINNED_TOOLS }, (_, nth) => tool(`t${String(nth)}`, 'A'));
    expect(new Set(await pins.show(server, tools))).toEqual(new Set(['new']));
    expect(await pins.show(server, [tool('one more', 'A'), tool('t0', 'A'), tool('t1', 'B')])).toEqual([
      'full',
      'same',
      'changed',
    ]);
    expect(await pins.list(server)).toHaveLength(MAX_PINNED_TOOLS);
  });
});

describe('pins in Redis', () => {
  it('pin one of two definitions that two gateways first see at the same time', async () => {
    const second = await connect(redis.addr);
    const stores = [client, second].map((one) => createRedisPinStore({ client: one, deadlineMs: 2_500 }));
    const server = newServer();
    const states = await Promise.all(
      Array.from({ length: 40 }, (_, nth) =>
        stores[nth % 2]?.show(server, [{ name: 'add', digest: nth % 2 === 0 ? 'A' : 'B' }]),
      ),
    );
    second.disconnect();
    expect(states.flat().filter((state) => state === 'new')).toHaveLength(1);
    expect(states.flat().filter((state) => state === 'changed')).toHaveLength(20);
  });

  it('never expire: an expired pin would let a changed tool pass as a new one', async () => {
    const server = newServer();
    await createRedisPinStore({ client, deadlineMs: 2_500 }).show(server, [{ name: 'add', digest: 'A' }]);
    expect(await client.pttl(mcpPinsKey(server))).toBe(-1);
  });

  it('use Redis’s clock', async () => {
    const server = newServer();
    const pins = createRedisPinStore({ client, deadlineMs: 2_500 });
    await pins.show(server, [{ name: 'add', digest: 'A' }]);
    const [pin] = await pins.list(server);
    expect(Math.abs((pin?.pinnedAt ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it('are redis_unavailable while Redis is frozen', async () => {
    const pins = createRedisPinStore({ client, deadlineMs: 100 });
    await redis.pause();
    try {
      await expect(pins.show(newServer(), [{ name: 'add', digest: 'A' }])).rejects.toMatchObject({
        type: 'redis_unavailable',
      });
      await expect(pins.isChanged(newServer(), 'add')).rejects.toMatchObject({ type: 'redis_unavailable' });
    } finally {
      await redis.resume();
    }
  });
});
