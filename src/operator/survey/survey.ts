import { setTimeout as delay } from 'node:timers/promises';

export interface View<Row> {
  readonly rows: ReadonlyMap<string, Row>;
  /** Unix ms of the local clock. */
  readonly asOf: number;
  /** Whether all keys have been read. */
  readonly complete: boolean;
}

/**
 * Rows about all keys, kept in memory to sort and search lists without an index in Redis. Rows are read only while
 * someone views a list, in small batches with pauses, so that requests need not wait.
 */
export interface Survey<Row> {
  /** Returns the most recently read rows. Waits briefly for the first reading; starts another if rows are old. */
  view(): Promise<View<Row>>;
  /** Replaces a changed row; undefined removes it. */
  put(keyHash: string, row: Row | undefined): void;
}

export interface SurveyOptions<Row> {
  readonly read: () => AsyncIterable<readonly (readonly [keyHash: string, row: Row])[]>;
  /**
   * Pause after each batch, as a multiple of the batch's duration. Only a quarter during the first reading, because
   * users wait for it.
   */
  readonly pause: number;
  /** Returns the current number of keys. If it changes, the next reading starts earlier. */
  readonly count?: () => Promise<number>;
  readonly maxRows?: number;
}

const MAX_ROWS = 250_000;
const FIRST_WITHIN_MS = 4_000;
/** Rows are read again at this age, or after a multiple of the last reading's duration if that is longer. */
const MIN_AGE_MS = 2_000;
const AGE_DURATIONS = 4;
const MAX_PAUSE_MS = 1_000;

export function createSurvey<Row>(options: SurveyOptions<Row>): Survey<Row> {
  const { read, pause, count, maxRows = MAX_ROWS } = options;
  let rows = new Map<string, Row>();
  let asOf = 0;
  let isComplete = false;
  let readAgainAt = 0;
  let readSoonAt = 0;
  let counted: number | undefined;
  let reading: Promise<void> | undefined;
  let firstUntil: number | undefined;
  /** Rows changed during a reading, which may have read their old state. */
  let changed = new Map<string, Row | undefined>();

  async function readAll(): Promise<void> {
    const begun = performance.now();
    const isFirst = asOf === 0;
    const next = isFirst ? rows : new Map<string, Row>();
    const startedAt = Date.now();
    let isTruncated = false;
    counted = await count?.();
    let at = performance.now();
    changed = new Map();
    for await (const batch of read()) {
      for (const [keyHash, row] of batch) next.set(keyHash, row);
      isTruncated = next.size > maxRows;
      if (isTruncated) break;
      const pauseMs = (performance.now() - at) * (isFirst ? pause / 4 : pause);
      await delay(Math.min(MAX_PAUSE_MS, pauseMs), undefined, { ref: false });
      at = performance.now();
    }
    rows = next;
    for (const [keyHash, row] of changed) put(keyHash, row);
    asOf = startedAt;
    isComplete = !isTruncated;
    readSoonAt = performance.now() + MIN_AGE_MS;
    readAgainAt = performance.now() + Math.max(MIN_AGE_MS, AGE_DURATIONS * (performance.now() - begun));
  }

  function put(keyHash: string, row: Row | undefined): void {
    changed.set(keyHash, row);
    if (row === undefined) rows.delete(keyHash);
    else rows.set(keyHash, row);
  }

  async function isOutdated(): Promise<boolean> {
    return performance.now() >= readSoonAt && count !== undefined && (await count()) !== counted;
  }

  return {
    put,
    view: async () => {
      if (performance.now() >= readAgainAt || (await isOutdated()))
        reading ??= readAll().finally(() => {
          reading = undefined;
        });
      // A failed reading keeps the previous rows. The routes read visible rows again, and report a failure.
      reading?.catch(() => undefined);
      if (asOf === 0) {
        firstUntil ??= performance.now() + FIRST_WITHIN_MS;
        const left = Math.max(0, firstUntil - performance.now());
        await Promise.race([reading, delay(left, undefined, { ref: false })]);
      }
      return { rows, asOf: asOf === 0 ? Date.now() : asOf, complete: isComplete };
    },
  };
}
