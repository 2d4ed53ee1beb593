import { createHash } from 'node:crypto';
import { createRandom } from './random.ts';

/** Set by `npm run nightly`: long tests run whole. */
export const WHOLE = process.env['GATEWAY_TEST_WHOLE'] === '1';
const SEED = process.env['GATEWAY_TEST_SEED'] ?? '1';

/**
 * Returns a share of the rows, at least one, in order; all of them in a nightly run. `npm test` prints the seed
 * and uses another one for each commit. Different labels choose different rows.
 */
export function seededPart<T>(label: string, rows: readonly T[], share: number, whole = WHOLE): readonly T[] {
  if (whole) return rows;
  const random = createRandom(createHash('sha256').update(`${SEED} ${label}`).digest().readUInt32LE() >>> 1);
  const drawn = rows.map((_, at) => ({ at, order: random() })).toSorted((a, b) => a.order - b.order);
  const chosen = new Set(drawn.slice(0, Math.max(1, Math.ceil(rows.length * share))).map(({ at }) => at));
  return rows.filter((_, at) => chosen.has(at));
}
