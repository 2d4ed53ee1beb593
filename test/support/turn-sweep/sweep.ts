import { slowness } from '../cpu-time.ts';
import type { SweepEdge, Swept } from './edge.ts';
import { headerPlaces, pathPlaces } from './header-places.ts';
import { mcpPlaces } from './mcp-places.ts';
import { placesOf, type Place } from './places.ts';
import { SWEPT_ROWS } from './rows.ts';
import type { Shape } from './shapes.ts';

/** A place with a shape in it, and how long one turn was. */
export interface Outcome extends Swept {
  readonly place: Place;
  readonly shape: Shape;
}

/** What one turn of the event loop may take, in milliseconds of the reference's CPU (test/support/cpu-time.ts). */
export const MAX_TURN_MS = 50;

/** Code is compiled, and memory collected, in some turns: only what is too long each time is. */
const TIMES = 4;

/** The shortest of some runs' longest turns, after the first that is short enough; undefined where the shape cannot stand there. */
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
