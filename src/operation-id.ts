import { randomFillSync } from 'node:crypto';

const ID_BYTES = 16;
/** Random bytes for many ids, generated at once. */
const POOL = Buffer.alloc(256 * ID_BYTES);
let taken = POOL.length;

/**
 * Returns 128 random bits in hex, by which a store recognizes a repeated operation. Ids are stored in Redis, and in
 * memory while the request runs. Node's UUIDs are ropes of about thirty strings that take a kilobyte each.
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
