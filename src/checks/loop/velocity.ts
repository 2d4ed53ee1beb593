import type { LoopConfig } from './config.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { formatSimHash, hashFeature } from '../../text/simhash.ts';
import type { LoopStep } from './step.ts';
import type { ArrivalLimit } from './store.ts';

const SECOND_MS = 1_000;

/**
 * Returns the limits for a call: on all calls of its session, and on calls like it. Empty if both settings
 * are 0.
 */
export function arrivalLimits(
  { max_rps, max_endpoint_repeats, repeat_window_seconds }: LoopConfig['velocity'],
  { method, path, mcp }: Pick<Parsed, 'method' | 'path' | 'mcp'>,
  { tools }: Pick<LoopStep, 'tools'>,
): ArrivalLimit[] {
  const limits: ArrivalLimit[] = [];
  if (max_rps > 0) {
    // Less than one per second means one in several seconds.
    const windowMs = Math.max(SECOND_MS, Math.ceil(SECOND_MS / max_rps));
    limits.push({ name: 'rps', windowMs, limit: Math.max(1, Math.floor((max_rps * windowMs) / SECOND_MS)) });
  }
  if (max_endpoint_repeats > 0) {
    // A tool may be called at either address of its server.
    const at = mcp === undefined ? path : `/mcp/${mcp.server}`;
    const same = formatSimHash(hashFeature([method, at, ...tools].join('\n')));
    const windowMs = repeat_window_seconds * SECOND_MS;
    limits.push({ name: `repeats/${same}`, windowMs, limit: max_endpoint_repeats });
  }
  return limits;
}
