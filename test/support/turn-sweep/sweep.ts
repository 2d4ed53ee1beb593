import { slowness } from '../cpu-time.ts';
import type { SweepEdge, Swept } from './edge.ts';
import { headerPlaces, pathPlaces } from './header-places.ts';
import { mcpPlaces } from './mcp-places.ts';
import { placesOf, type Place } from './places.ts';
import { SWEPT_ROWS } from './rows.ts';
import type { Shape } from './shapes.ts';

/** A place with a shape in it, and its longest turn. */
export interface Outcome extends Swept {
  readonly place: Place;
  readonly shape: Shape;
}

/** The bound of one event-loop turn, in milliseconds of the reference's CPU (test/support/cpu-time.ts). */
export const MAX_TURN_MS = 50;

/** Some turns compile code or collect memory: only a turn that is too long every time counts. */
const TIMES = 4;

/** The shortest of some runs' longest turns, up to the first that is short enough; undefined if the shape cannot be used there. */
export async function sweepOne(
  edge: SweepEdge,
  place: Place,
  shape: Shape,
  scale = 1,
): Promise<Outcome | undefined> {
  let best: Swept | undefined;
  for (let time = 0; time < TIMES; time += 1) {
    const exchange = place.exchange(shape, scale);
    if (exchange === undefined) return undefined;
    const swept = await edge.sweep(exchange);
    const longestTurnMs = swept.longestTurnMs;
    if (best === undefined || longestTurnMs < best.longestTurnMs) best = { ...swept, longestTurnMs };
    if (best.longestTurnMs < MAX_TURN_MS) break;
    best = { ...best, longestTurnMs: Math.min(best.longestTurnMs, longestTurnMs / slowness()) };
    if (best.longestTurnMs < MAX_TURN_MS) break;
  }
  return best === undefined ? undefined : { ...best, place, shape };
}

/** Every place of every endpoint, of MCP, and of headers. */
export function allPlaces(): readonly Place[] {
  return [...SWEPT_ROWS.flatMap(placesOf), ...mcpPlaces(), ...headerPlaces(), ...pathPlaces()];
}
