import { setTimeout as delay } from 'node:timers/promises';
import { LONGEST_CALL_MS } from '../auth/key-use-store.ts';
import { dayOf, dayText } from '../spend/store.ts';
import { groupOf, SpendSums, type Bucket } from '../spend/sums.ts';
import type { Spend } from './api/schemas/traffic.ts';
import type { RedisOperations } from './redis-operations.ts';
import type { KeySurveys } from './survey/key-surveys.ts';

export interface SpendQuestion {
  readonly by: string;
  readonly days: number;
  readonly bucket: Bucket;
  /** Counts only keys of this owner; undefined counts all. */
  readonly owner: string | undefined;
}

/** Sums of spend records. A count over many keys continues after a first, incomplete answer. */
export interface SpendReports {
  read(question: SpendQuestion): Promise<Omit<Spend, 'enabled'>>;
}

const DAY_MS = 86_400_000;
/** Number of keys read concurrently. */
const AT_ONCE = 20;
/** Pause after each batch, as a multiple of the batch's duration. */
const PAUSE_DURATIONS = 2;
const FIRST_ANSWER_MS = 3_000;
/** A count is kept for this time, or for a multiple of its duration if that is longer. */
const MIN_KEPT_MS = 10_000;
const KEPT_DURATIONS = 10;
const MAX_REPORTS = 8;
const MAX_ROWS = 5_000;

interface Report {
  readonly count: Promise<void>;
  answer(): Omit<Spend, 'enabled'>;
  staleAt(): number;
  /** Ends an abandoned count. */
  stop(): void;
}

export function createSpendReports(operations: RedisOperations, surveys: KeySurveys): SpendReports {
  const reports = new Map<string, Report>();

  function report(question: SpendQuestion): Report {
    const { by, days, bucket, owner } = question;
    const sums = new SpendSums(bucket);
    let isDone = false;
    let isStopped = false;
    let staleAt = Infinity;
    let [first, last] = [0, 0];
    const startedAt = Date.now();
    async function count(): Promise<void> {
      const begun = performance.now();
      last = dayOf(await operations.readClock());
      first = last - days + 1;
      const { rows, complete } = await surveys.keys.view();
      // A stream is recorded on the day on which it ends.
      const used = [...rows].filter(
        ([, row]) =>
          (row.lastUsedAt ?? 0) >= first * DAY_MS - LONGEST_CALL_MS &&
          (owner === undefined || row.owner === owner),
      );
      for (let at = 0; at < used.length && !isStopped; at += AT_ONCE) {
        const since = performance.now();
        await Promise.all(
          used.slice(at, at + AT_ONCE).map(async ([keyHash]) => addKey(sums, by, keyHash, first, last)),
        );
        await delay((performance.now() - since) * PAUSE_DURATIONS, undefined, { ref: false });
      }
      isDone = complete && !isStopped;
      staleAt = performance.now() + Math.max(MIN_KEPT_MS, KEPT_DURATIONS * (performance.now() - begun));
    }
    return {
      count: count(),
      staleAt: () => staleAt,
      stop: () => {
        isStopped = true;
      },
      answer: () => {
        const rows = sums.rows();
        return {
          by,
          bucket,
          from: dayText(first),
          to: dayText(last),
          rows: rows
            .slice(0, MAX_ROWS)
            .map(({ group, bucket: from, nanoUsd }) => ({ from: from ?? null, group, usd: nanoUsd / 1e9 })),
          total_usd: rows.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0) / 1e9,
          as_of: new Date(startedAt).toISOString(),
          complete: isDone && rows.length <= MAX_ROWS,
        };
      },
    };
  }

  async function addKey(
    sums: SpendSums,
    by: string,
    keyHash: string,
    first: number,
    last: number,
  ): Promise<void> {
    const spent = await operations.spend.read(keyHash, first, last);
    if (spent.length === 0) return;
    const state = await operations.keyStates.readNamedKey(keyHash);
    if (state === undefined) return;
    for (const spend of spent) sums.add(groupOf(by, state.record, spend), spend);
  }

  return {
    read: async (question) => {
      const name = JSON.stringify(question);
      const known = reports.get(name);
      const current = known === undefined || performance.now() > known.staleAt() ? report(question) : known;
      reports.delete(name);
      reports.set(name, current);
      for (const [oldest, dropped] of reports) {
        if (reports.size <= MAX_REPORTS) break;
        dropped.stop();
        reports.delete(oldest);
      }
      current.count.catch(() => {
        reports.delete(name);
      });
      await Promise.race([current.count, delay(FIRST_ANSWER_MS, undefined, { ref: false })]);
      return current.answer();
    },
  };
}
