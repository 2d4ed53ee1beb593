import { describe, expect, it } from 'vitest';
import { createMemoryMcpSessionStore } from '../../../../src/checks/mcp/session-binding/memory-store.ts';
import { createRedisMcpSessionStore } from '../../../../src/checks/mcp/session-binding/redis-store.ts';
import type { McpSession, McpSessionStore } from '../../../../src/checks/mcp/session-binding/store.ts';
import type { RedisClient } from '../../../../src/redis/client.ts';
import { startTestRedis } from '../../../support/redis.ts';
import { connect, useRedis, newKeyHash } from '../budget/support.ts';

const TTL_MS = 1_000;

let client: RedisClient;
useRedis((started) => ({ client } = started));

const inRedis = (ttlMs: number, maxPerKey = 10_000): McpSessionStore =>
  createRedisMcpSessionStore({ client, deadlineMs: 2_500, ttlMs, maxPerKey });

/** Sessions with one name and two keys. */
function sessions(): { mine: McpSession; theirs: McpSession } {
  const sessionId = `s-${newKeyHash()}`;
  return {
    mine: { server: 'files', sessionId, keyHash: newKeyHash() },
    theirs: { server: 'files', sessionId, keyHash: newKeyHash() },
  };
}

describe.each<[string, (ttlMs: number, maxPerKey?: number) => McpSessionStore]>([
  ['in Redis', inRedis],
  ['in memory', (ttlMs, maxPerKey = 10_000) => createMemoryMcpSessionStore({ ttlMs, maxPerKey })],
])('a session of an MCP server, stored %s', (_where, storeWith) => {
  const store = (maxPerKey?: number): McpSessionStore => storeWith(60_000, maxPerKey);

  it('belongs to no key until a server issues it, and asking for it does not claim it', async () => {
    const { mine } = sessions();
    expect([await store().use(mine), await store().use(mine)]).toEqual(['unowned', 'unowned']);
  });

  it('belongs to the first key that received it', async () => {
    const { mine, theirs } = sessions();
    const kept = store();
    expect(await kept.bind(mine)).toBe('own');
    expect([await kept.use(mine), await kept.use(theirs), await kept.bind(theirs)]).toEqual([
      'own',
      'foreign',
      'foreign',
    ]);
    expect([await kept.bind(mine), await kept.use(mine)]).toEqual(['own', 'own']);
  });

  it('is separate on another server', async () => {
    const { mine } = sessions();
    const kept = store();
    await kept.bind(mine);
    expect(await kept.use({ ...mine, server: 'mail' })).toBe('unowned');
  });

  it('can be ended only by its own key', async () => {
    const { mine, theirs } = sessions();
    const kept = store();
    await kept.bind(mine);
    await kept.end(theirs);
    expect(await kept.use(mine)).toBe('own');
    await kept.end(mine);
    await kept.end(mine);
    expect(await kept.use(mine)).toBe('unowned');
  });

  it('lives as long as it is used, and no longer', async () => {
    const { mine, theirs } = sessions();
    const kept = storeWith(TTL_MS);
    await kept.bind(mine);
    await wait(TTL_MS * 0.7);
    expect(await kept.use(mine)).toBe('own');
    await wait(TTL_MS * 0.7);
    expect(await kept.use(theirs)).toBe('foreign');
    await wait(TTL_MS * 0.6);
    expect(await kept.use(mine)).toBe('unowned');
    expect(await kept.bind(theirs)).toBe('own');
  });

  it('is dropped if its key has too many, the least recently used first', async () => {
    const keyHash = newKeyHash();
    const name = (sessionId: string): McpSession => ({
      server: 'files',
      sessionId: `${keyHash}-${sessionId}`,
      keyHash,
    });
    const kept = store(3);
    for (const id of ['one', 'two', 'three']) {
      await kept.bind(name(id));
      await wait(3);
    }
    await kept.use(name('one'));
    await wait(3);
    const { theirs } = sessions();
    await kept.bind(theirs);
    for (const id of ['four', 'five']) {
      await kept.bind(name(id));
      await wait(3);
    }
    const owners = await Promise.all(['one', 'two', 'three', 'four', 'five'].map((id) => kept.use(name(id))));
    expect(owners).toEqual(['own', 'unowned', 'unowned', 'own', 'own']);
    expect(await kept.use(theirs)).toBe('own');
    await kept.end(name('five'));
    await kept.bind(name('six'));
    expect(await kept.use(name('one'))).toBe('own');
  });

  it('goes to one of two keys that receive it at the same time', async () => {
    const { mine } = sessions();
    const kept = store();
    const keys = Array.from({ length: 20 }, () => ({ ...mine, keyHash: newKeyHash() }));
    const owners = await Promise.all(keys.map((session) => kept.bind(session)));
    expect(owners.filter((owner) => owner === 'own')).toHaveLength(1);
  });
});

it('is not stored by its id, and every Redis key of it expires', async () => {
  const { mine } = sessions();
  await inRedis(60_000).bind(mine);
  const names = await client.keys('gateway:mcp_session:*');
  expect(names.length).toBeGreaterThan(0);
  expect(names.join()).not.toContain(mine.sessionId);
  const all = [...names, ...(await client.keys('gateway:mcp_sessions:*'))];
  expect(all.length).toBeGreaterThan(names.length);
  for (const name of all) expect(await client.pttl(name)).toBeGreaterThan(0);
});

it('cannot be used without Redis', async () => {
  const gone = await startTestRedis();
  const away = await connect(gone.addr);
  const store = createRedisMcpSessionStore({ client: away, deadlineMs: 300, ttlMs: 60_000 });
  await gone.close();
  const { mine } = sessions();
  for (const work of [store.use(mine), store.bind(mine), store.end(mine)]) {
    await expect(work).rejects.toMatchObject({ type: 'redis_unavailable' });
  }
  away.disconnect();
});

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
