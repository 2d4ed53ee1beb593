import type { KeyRecord } from '../src/auth/key-record.ts';
import type { ActiveKeys } from '../src/auth/key-use-store.ts';
import type { Operations } from '../src/operator/operations.ts';
import type { Io } from './command.ts';
import { begun } from './every-key.ts';
import { createProgress } from './progress.ts';

/** Records read at once; the most that a request to the operator's API may ask for. */
const RECORDS_AT_ONCE = 500;

/**
 * Waits until the order of use has every key. After an upgrade this reads each key: once, or as long as gateways of an earlier
 * release run.
 */
async function completed({ keyUses }: Operations, io: Io): Promise<void> {
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

/** Fewer are read at once. */
const MANY = 5_000;
const NOTE =
  'gateway: this list had to read every key, since gateways of an earlier release may have used some. ' +
  'It no longer does once none has used a key for a day\n';

/** Yields the keys that are used or marked, in no order. */
export async function* activeKeys(
  operations: Operations,
  io: Io,
  keys: ActiveKeys,
): AsyncGenerator<KeyRecord> {
  const { keyUses } = operations;
  await completed(operations, io);
  const progress = createProgress(io, 'keys');
  let read = 0;
  let page = keyUses.active(keys);
  for (;;) {
    const { hashes, next } = await page;
    if (next !== undefined) page = begun(keyUses.active(keys, next));
    yield* recordsOf(operations, hashes);
    progress.show((read += hashes.length));
    if (next === undefined) break;
  }
  progress.clear();
}

/** Returns the last used keys, the latest first. */
export async function latestKeys(operations: Operations, io: Io, count: number): Promise<KeyRecord[]> {
  await completed(operations, io);
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
    part = at < hashes.length ? begun(partAt(at)) : undefined;
    yield* records;
  }
}
