import { setTimeout as delay } from 'node:timers/promises';
import type { Entry, StreamStore } from './stream-store.ts';
import { parsedJson } from '../json/parsed.ts';

const PAGE = 500;
const ASK_EVERY_MS = 500;

export interface TailOptions {
  /** Number of last matching records; ignored if `since` is set. */
  readonly lines: number;
  /** Redis time in Unix ms. */
  readonly since?: number | undefined;
  readonly matches: (record: Record<string, unknown>) => boolean;
  /** Whether to continue until `signal` is aborted. */
  readonly follow: boolean;
  readonly signal?: AbortSignal;
}

export interface TailedRecord {
  readonly line: string;
  readonly record: Record<string, unknown>;
}

/**
 * Yields matching stream records, oldest first.
 * @throws GatewayError redis_unavailable
 */
export async function* tail(
  store: Pick<StreamStore, 'after' | 'before'>,
  options: TailOptions,
): AsyncGenerator<TailedRecord> {
  const { lines, since, follow, signal } = options;
  const isOver = (): boolean => signal?.aborted === true;
  let last: string;
  if (since === undefined) {
    const found = await lastMatching(store, options);
    last = found.newest;
    yield* found.records.slice(-lines);
  } else {
    last = `${String(Math.max(since - 1, 0))}-18446744073709551615`;
  }
  while (!isOver()) {
    const page = await store.after(last, PAGE);
    last = page.at(-1)?.id ?? last;
    yield* matching(page, options);
    if (page.length === PAGE) continue;
    if (!follow) return;
    await delay(ASK_EVERY_MS, undefined, signal && { signal }).catch(() => undefined);
  }
}

/** Reads backwards until enough records match. */
async function lastMatching(
  store: Pick<StreamStore, 'before'>,
  options: TailOptions,
): Promise<{ readonly records: TailedRecord[]; readonly newest: string }> {
  const records: TailedRecord[] = [];
  let newest = '0-0';
  let before = '+';
  for (;;) {
    const page = await store.before(before, PAGE);
    if (before === '+') newest = page[0]?.id ?? newest;
    records.unshift(...matching(page.toReversed(), options));
    before = page.at(-1)?.id ?? before;
    if (page.length < PAGE || records.length >= options.lines) return { records, newest };
  }
}

function matching(page: readonly Entry[], { matches }: TailOptions): TailedRecord[] {
  return page.flatMap(({ record: line }) => {
    const record = readRecord(line);
    return record !== undefined && matches(record) ? [{ line, record }] : [];
  });
}

/** Returns undefined for a line that is not a record. */
export function readRecord(line: string): Record<string, unknown> | undefined {
  const read = parsedJson(line);
  return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : undefined;
}
