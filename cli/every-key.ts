import type { KeyOrder } from '../src/auth/key-index.ts';
import type { KeyRecord } from '../src/auth/key-record.ts';
import type { Operations } from '../src/operator/operations.ts';

/** Keys whose state is read at once: enough to hide the round trip, and done well within Redis's deadline. */
const READS_AT_ONCE = 400;
/** Sizes of pages. The first is small, because a short list ends within it. */
const PAGE = { first: 500, next: 2_500 } as const;

/** Yields all keys, a page at a time. The next page is read meanwhile. */
export async function* allKeys({ keys }: Operations, order: KeyOrder = 'hash'): AsyncGenerator<KeyRecord> {
  let page = keys.list(undefined, order, PAGE.first);
  for (;;) {
    const { keys: records, next } = await page;
    if (next !== undefined) page = begun(keys.list(next, order, PAGE.next));
    yield* records;
    if (next === undefined) return;
  }
}

/** Reads something of every key, many keys at once, and yields it in the order of the keys. */
export async function* ofEachKey<Result>(
  records: AsyncIterable<KeyRecord> | Iterable<KeyRecord>,
  read: (record: KeyRecord) => Promise<Result>,
  atOnce = READS_AT_ONCE,
): AsyncGenerator<Result> {
  let batch: KeyRecord[] = [];
  let reading: Promise<readonly Result[]> = Promise.resolve([]);
  for await (const record of records) {
    batch.push(record);
    if (batch.length < atOnce) continue;
    const before = reading;
    reading = begun(Promise.all(batch.map(read)));
    batch = [];
    yield* await before;
  }
  yield* await reading;
  yield* await Promise.all(batch.map(read));
}

/** Avoids an unhandled rejection if the reader ends before the work that was begun for it. */
export function begun<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => undefined);
  return work;
}
