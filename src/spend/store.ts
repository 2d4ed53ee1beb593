import { readSpentFor, type SpentFor } from '../checks/budget/spend-label.ts';
import type { RedisStoreOptions } from '../redis/client.ts';
import { spendDayKey } from '../redis/keys.ts';
import { redisUnavailable, withRedisDeadline } from '../redis/unavailable.ts';

const DAY_MS = 86_400_000;

/** A key's spend on one day, for one model or tool. */
export interface Spent extends SpentFor {
  /** Days since 1970, in UTC. */
  readonly day: number;
  readonly nanoUsd: number;
}

/** Reads spend records (docs/spend.md). */
export interface SpendStore {
  /** Includes both days. Throws GatewayError redis_unavailable. */
  read(keyHash: string, firstDay: number, lastDay: number): Promise<readonly Spent[]>;
}

export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS);
}

/** Formats a day as `2026-11-26`. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export function createSpendStore({ client, deadlineMs }: RedisStoreOptions): SpendStore {
  async function readDay(keyHash: string, day: number): Promise<readonly Spent[]> {
    const fields = await withRedisDeadline(deadlineMs, () => client.hgetall(spendDayKey(keyHash, day)));
    return Object.entries(fields).map(([label, written]) => {
      const nanoUsd = Number(written);
      if (!Number.isSafeInteger(nanoUsd))
        throw redisUnavailable(new Error('a stored spend record is damaged'));
      return { day, ...readSpentFor(label), nanoUsd };
    });
  }
  return {
    async read(keyHash, firstDay, lastDay) {
      const days = Array.from({ length: lastDay - firstDay + 1 }, (_, index) => firstDay + index);
      return (await Promise.all(days.map((day) => readDay(keyHash, day)))).flat();
    },
  };
}
