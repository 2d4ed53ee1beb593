import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Taken from the system for many ids at once. */
const POOL = Buffer.alloc(256 * ID_BYTES);
let taken = POOL.length;

/**
 * 128 random bits in hex, under which a store knows an operation that it is asked for again. Kept in Redis, and in memory
 * for as long as a request runs: Node's UUIDs are joined of some thirty pieces, a kilobyte each.
 */
export function newOperationId(): string {
  if (taken === POOL.length) {
    randomFillSync(POOL);
    taken = 0;
  }
  const from = taken;
  taken += ID_BYTES;
  return POOL.toString('hex', from, taken);
}
