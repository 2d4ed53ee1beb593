import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Random bytes for many ids, generated at once. */
const POOL = Buffer.alloc(256 * ID_BYTES);
let taken = POOL.length;

/**
 * Returns 128 random bits in hex, by which a store recognizes repeated operations. Node's UUIDs are ropes of about
 * thirty strings, which would take a kilobyte each while a request runs.
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
