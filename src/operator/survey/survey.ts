import { setTimeout as delay } from 'node:timers/promises';

/** Rows about all keys, as they were read last. */
export interface View<Row> {
  /** By key hash. */
  readonly rows: ReadonlyMap<string, Row>;
  /** Unix ms by this machine's clock. */
  readonly asOf: number;
  /** Every key is in it. */
  readonly complete: boolean;
}

/**
 * Something about every key, kept in memory, so that lists can be sorted and searched without an index in Redis. It is
 * read only while somebody looks at such a list, in small parts with pauses between them, so that requests do not wait.
 */
export interface Survey<Row> {
  /** Waits a while for the first reading, and returns what there is. Starts a new reading if that is old. */
  view(): Promise<View<Row>>;
  /** Replaces a row that has changed; undefined removes it. */
  put(keyHash: string, row: Row | undefined): void;
}

export interface SurveyOptions<Row> {
  /** Yields parts of the rows. */
  readonly read: () => AsyncIterable<readonly (readonly [keyHash: string, row: Row])[]>;
  /** Pause after each part, as a multiple of the time that it took; a quarter in the first reading, for which people wait. */
  readonly pause: number;
  /** Number of keys at present; a reading is repeated sooner where it has changed. */
  readonly count?: () => Promise<number>;
  readonly maxRows?: number;
}

const MAX_ROWS = 250_000;
const FIRST_WITHIN_MS = 4_000;
/** A reading is repeated no sooner, and no sooner than after some multiple of the time that it took. */
const LEAST_AGE_MS = 2_000;
const REST = 4;
const LONGEST_PAUSE_MS = 1_000;

export function createSurvey<Row>(options: SurveyOptions<Row>): Survey<Row> {
  const { read, pause, count, maxRows = MAX_ROWS } = options;
  let rows = new Map<string, Row>();
  let asOf = 0;
  let isWhole = false;
  let readAgainAt = 0;
  let readSoonAt = 0;
  let counted: number | undefined;
  let reading: Promise<void> | undefined;
  let firstUntil: number | undefined;
  /** Rows that changed during a reading, which may have read them before. */
  let changed = new Map<string, Row | undefined>();

  async function readAll(): Promise<void> {
    const begun = performance.now();
    const isFirst = asOf === 0;
    const next = isFirst ? rows : new Map<string, Row>();
    const startedAt = Date.now();
    let cut = false;
    counted = await count?.();
    let at = performance.now();
    changed = new Map();
    for await (const part of read()) {
      for (const [keyHash, row] of part) next.set(keyHash, row);
      cut = next.size > maxRows;
      if (cut) break;
      const rest = (performance.now() - at) * (isFirst ? pause / 4 : pause);
      await delay(Math.min(LONGEST_PAUSE_MS, rest), undefined, { ref: false });
      at = performance.now();
    }
    rows = next;
    for (const [keyHash, row] of changed) put(keyHash, row);
    asOf = startedAt;
    isWhole = !cut;
    readSoonAt = performance.now() + LEAST_AGE_MS;
    readAgainAt = performance.now() + Math.max(LEAST_AGE_MS, REST * (performance.now() - begun));
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
      // A failed reading leaves the one before. Rows are read from Redis again when they are shown, which reports the failure.
      reading?.catch(() => undefined);
      if (asOf === 0) {
        firstUntil ??= performance.now() + FIRST_WITHIN_MS;
        const left = Math.max(0, firstUntil - performance.now());
        await Promise.race([reading, delay(left, undefined, { ref: false })]);
      }
      return { rows, asOf: asOf === 0 ? Date.now() : asOf, complete: isWhole };
    },
  };
}
