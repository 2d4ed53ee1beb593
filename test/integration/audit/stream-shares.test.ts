import { beforeEach, describe, expect, it } from 'vitest';
import { createStreamStore } from '../../../src/audit/stream-store.ts';
import { tail } from '../../../src/audit/tail.ts';
import { useTestRedis } from '../../support/redis.ts';

const redis = useTestRedis();
beforeEach(() => redis.flush());

describe('a key that writes very many records', () => {
  const MAX_LENGTH = 200;
  const store = () => createStreamStore({ client: redis.client, deadlineMs: 1_000, maxLength: MAX_LENGTH });
  const recordOf = (nth: number, user: object): string => JSON.stringify({ nth, actor: { user } });
  const heavy = { uid: `sha256:${'a'.repeat(64)}`, name: 'heavy' };
  const light = { uid: `sha256:${'b'.repeat(64)}`, name: 'light' };

  async function read(
    lines: number,
    matches: (record: Record<string, unknown>) => boolean,
  ): Promise<unknown[]> {
    const found: unknown[] = [];
    for await (const { record } of tail(store(), { lines, follow: false, matches }))
      found.push(record['nth']);
    return found;
  }

  const isOf =
    (user: object) =>
    ({ actor }: Record<string, unknown>): boolean =>
      JSON.stringify(actor) === JSON.stringify({ user });

  it('displaces no records of other keys, operators or strangers', async () => {
    const operator = { uid: 'ada', name: 'ada' };
    const stranger = { type: 'Unknown', type_id: 0 };
    const others = [light, operator, stranger];
    let nth = 0;
    for (let batch = 0; batch < 40; batch += 1) {
      const records = Array.from({ length: 100 }, () => recordOf(nth++, heavy));
      if (batch === 0) for (const user of others) records.unshift(recordOf(nth++, user));
      await store().append(records, `batch-${String(batch)}`);
    }
    for (const user of others) expect(await read(10, isOf(user))).toHaveLength(1);
    const own = await read(10_000, isOf(heavy));
    expect(own.length).toBeGreaterThanOrEqual(MAX_LENGTH);
    expect(own.length).toBeLessThan(2 * MAX_LENGTH + 100);
    expect(own.at(-1)).toBe(nth - 1);
    expect(await redis.client.xlen('gateway:audit')).toBeLessThanOrEqual(MAX_LENGTH / 10 + others.length);
  });

  it('cannot be displaced by strangers', async () => {
    await store().append([recordOf(0, light)], 'first');
    const stranger = { type: 'Unknown', type_id: 0 };
    for (let batch = 0; batch < 10; batch += 1) {
      await store().append(
        Array.from({ length: 100 }, () => recordOf(1, stranger)),
        String(batch),
      );
    }
    expect(await read(10, isOf(light))).toEqual([0]);
  });

  it('is read in order with all others, in pages and as records arrive', async () => {
    for (let nth = 0; nth < 1_400; nth += 100) {
      const users = Array.from({ length: 100 }, (_, at) => (at % 10 === 0 ? light : heavy));
      const records = users.map((user, at) => recordOf(nth + at, user));
      await createStreamStore({ client: redis.client, deadlineMs: 1_000, maxLength: 2_000 }).append(
        records,
        String(nth),
      );
    }
    const all = Array.from({ length: 1_400 }, (_, nth) => nth);
    expect(await read(5_000, () => true)).toEqual(all);
    const since: unknown[] = [];
    for await (const { record } of tail(store(), {
      lines: 0,
      since: 1,
      follow: false,
      matches: () => true,
    })) {
      since.push(record['nth']);
    }
    expect(since).toEqual(all);
  });

  it('gets its share again in the next period', async () => {
    await store().append(
      Array.from({ length: 30 }, (_, nth) => recordOf(nth, heavy)),
      'first',
    );
    expect(await redis.client.xlen('gateway:audit')).toBe(20);
    const users = Array.from({ length: 180 }, (_, nth) => ({
      uid: `sha256:${String(nth).padStart(64, '0')}`,
    }));
    await store().append(
      users.map((user, nth) => recordOf(nth, user)),
      'second',
    );
    await store().append([recordOf(1_000, heavy)], 'third');
    const [newest] = await redis.client.xrevrange('gateway:audit', '+', '-', 'COUNT', 1);
    expect(newest?.[1][1]).toContain('"nth":1000');
  });

  it("continues if Redis's clock has gone back", async () => {
    const inAnHour = Date.now() + 3_600_000;
    await redis.client.xadd('gateway:audit', `${String(inAnHour)}-7`, 'ocsf', recordOf(0, light));
    await store().append(
      [recordOf(1, light), ...Array.from({ length: 30 }, () => recordOf(2, heavy))],
      'one',
    );
    const found = await read(100, () => true);
    expect(found.slice(0, 3)).toEqual([0, 1, 2]);
    expect(found).toHaveLength(32);
  });
});
