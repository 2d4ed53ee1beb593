import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from '../fuzz/failure.ts';
import type { Driven } from '../fuzz/drive.ts';
import { runChild } from '../fuzz/run-child.ts';
import { SURFACE_NAMES, type SurfaceName } from '../fuzz/surfaces/index.ts';
import { WHOLE } from '../support/seeded-part.ts';

/** A part of `npm run fuzz`: the seed of `npm test` chooses its cases. */
const RUNS = 60;
const WHOLE_MS = 30_000;
const SEED =
  createHash('sha256')
    .update(process.env['GATEWAY_TEST_SEED'] ?? '1')
    .digest()
    .readUInt32LE() >>> 1;

describe('mutated input crashes nothing, blocks no turn, and bypasses no check', () => {
  let results: ReadonlyMap<SurfaceName, Driven>;

  beforeAll(async () => {
    results = await runChild(SURFACE_NAMES, {
      seed: SEED,
      ...(WHOLE ? { forMs: WHOLE_MS } : { forMs: 60_000, runs: RUNS }),
    });
  }, 600_000);

  it.each(SURFACE_NAMES)('%s', (name) => {
    expect(failureOf(name, results.get(name))).toBeUndefined();
  });
});
