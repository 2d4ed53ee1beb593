import type { KeyOrder } from '../src/auth/key-index.ts';
import type { KeyRecord } from '../src/auth/key-record.ts';
import type { ActiveKeys } from '../src/auth/key-use-store.ts';
import type { Operations } from '../src/operator/operations.ts';
import type { Io } from './command.ts';
import { createProgress } from './progress.ts';

/** Number of keys whose state is read per batch: enough to hide the round trip, few enough for the Redis deadline. */
const READS_AT_ONCE = 400;
/** Page sizes. The first page is small, because a short list needs no more. */
const PAGE = { first: 500, next: 2_500 } as const;

/** Yields all keys page by page, reading the next page ahead. */
export async function* allKeys({ keys }: Operations, order: KeyOrder = 'hash'): AsyncGenerator<KeyRecord> {
  let page = keys.list(undefined, order, PAGE.first);
  for (;;) {
    const { keys: records, next } = await page;
    if (next !== undefined) page = started(keys.list(next, order, PAGE.next));
    yield* records;
    if (next === undefined) return;
  }
}

/** Yields the result of `read` for every key, in order. Reads many keys concurrently. */
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
    reading = started(Promise.all(batch.map(read)));
    batch = [];
    yield* await before;
  }
  yield* await reading;
  yield* await Promise.all(batch.map(read));
}

/** Prevents an unhandled rejection of work that may never be awaited. */
function started<Result>(work: Promise<Result>): Promise<Result> {
  work.catch(() => undefined);
  return work;
}

/** Number of records read per batch; also the API's limit per request. */
const RECORDS_AT_ONCE = 500;

/**
 * Completes the order of use. Reads all keys if it is incomplete: after an upgrade, a use by an older gateway, or
 * 15 minutes without a gateway.
 */
async function completeUses({ keyUses }: Operations, io: Io): Promise<void> {
  if (await keyUses.isComplete()) return;
  let isNoted = false;
  const progress = createProgress(io, 'keys');
  for (;;) {
    const { isReady, done } = await keyUses.complete();
    if (!isNoted && done >= MANY) {
      io.stderr.write(NOTE);
      isNoted = true;
    }
    if (isReady) break;
    progress.show(done);
  }
  progress.clear();
}

/** Reading this many keys takes long enough for a note. */
const MANY = 5_000;
const NOTE =
  'gateway: this list required reading every key, because gateways of an earlier release may have used some of them. ' +
  'Lists are fast again one day after the last such gateway has stopped\n';

/** Yields active keys in no particular order. */
export async function* activeKeys(
  operations: Operations,
  io: Io,
  keys: ActiveKeys,
): AsyncGenerator<KeyRecord> {
  const { keyUses } = operations;
  await completeUses(operations, io);
  const progress = createProgress(io, 'keys');
  let read = 0;
  let page = keyUses.active(keys);
  for (;;) {
    const { hashes, next } = await page;
    if (next !== undefined) page = started(keyUses.active(keys, next));
    yield* recordsOf(operations, hashes);
    progress.show((read += hashes.length));
    if (next === undefined) break;
  }
  progress.clear();
}

/** Returns the most recently used keys, latest first. */
export async function latestKeys(operations: Operations, io: Io, count: number): Promise<KeyRecord[]> {
  await completeUses(operations, io);
  const found: KeyRecord[] = [];
  for await (const record of recordsOf(operations, await operations.keyUses.latest(count)))
    found.push(record);
  return found.toSorted((one, other) => (other.lastUsedAt ?? 0) - (one.lastUsedAt ?? 0));
}

async function* recordsOf({ keyUses }: Operations, hashes: readonly string[]): AsyncGenerator<KeyRecord> {
  const partAt = (at: number) => keyUses.records(hashes.slice(at, at + RECORDS_AT_ONCE));
  let part = hashes.length > 0 ? partAt(0) : undefined;
  for (let at = RECORDS_AT_ONCE; part !== undefined; at += RECORDS_AT_ONCE) {
    const records = await part;
    part = at < hashes.length ? started(partAt(at)) : undefined;
    yield* records;
  }
}
