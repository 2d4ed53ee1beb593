import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../src/runtime/redis-process.ts';
import { findRedisServer } from '../../src/runtime/redis-server.ts';
import { createSweepEdge, type SweepEdge } from '../support/turn-sweep/edge.ts';
import type { Place } from '../support/turn-sweep/places.ts';
import { SHAPES, type Shape } from '../support/turn-sweep/shapes.ts';
import { allPlaces, MAX_TURN_MS, sweepOne } from '../support/turn-sweep/sweep.ts';

export interface SweepOptions {
  /** Patterns for the names of places, and of shapes. */
  readonly places: RegExp;
  readonly shapes: RegExp;
  /** Shapes for each place; other ones for the next place. */
  readonly each: number;
  /** Which of `parts` equal parts of the whole. */
  readonly part: number;
  readonly parts: number;
  /** Set if a policy's mask rules are enabled instead of DLP. */
  readonly masking: boolean;
}

/** Reports every place and shape that block the event loop; true if some were tried, and none does. */
export async function sweepTurns(options: SweepOptions): Promise<boolean> {
  const places = allPlaces().filter(({ name, side }) => options.places.test(`${side} ${name}`));
  const shapes = SHAPES.filter(({ name }) => options.shapes.test(name));
  process.stdout.write(`${String(places.length)} places, ${String(shapes.length)} shapes\n`);
  const ends = new Map<string, number>();
  function shapesAt({ only }: Place, at: number): readonly Shape[] {
    const those = only?.filter(({ name }) => options.shapes.test(name)) ?? shapes;
    const each = Math.min(options.each, those.length);
    return Array.from({ length: each }, (_, n) => those[(at * each + n) % those.length]).filter(
      (shape) => shape !== undefined,
    );
  }
  let count = 0;
  let tooLong = 0;
  const directory = mkdtempSync(join(tmpdir(), 'gw-sweep-'));
  const redis = await startRedis({ program: await findRedisServer(process.env), directory });
  let edge: SweepEdge | undefined;
  try {
    edge = await createSweepEdge(`127.0.0.1:${String(redis.port)}`, options.masking ? 'policies' : 'dlp');
    for (const [at, place] of places.entries()) {
      if (at % options.parts !== options.part) continue;
      for (const shape of shapesAt(place, at)) {
        const outcome = await sweepOne(edge, place, shape);
        if (outcome === undefined) continue;
        count += 1;
        ends.set(outcome.end, (ends.get(outcome.end) ?? 0) + 1);
        if (outcome.longestTurnMs < MAX_TURN_MS) continue;
        tooLong += 1;
        const { longestTurnMs, end } = outcome;
        process.stdout.write(
          `${longestTurnMs.toFixed(0)} ms  ${place.side} ${place.name}  |  ${shape.name}  |  ${end}\n`,
        );
      }
    }
  } finally {
    await edge?.close();
    await redis.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  for (const [end, times] of ends) process.stdout.write(`${String(times)} ended: ${end}\n`);
  process.stdout.write(
    `${String(count)} swept, ${String(tooLong)} with a turn of over ${String(MAX_TURN_MS)} ms\n`,
  );
  return count > 0 && tooLong === 0;
}
