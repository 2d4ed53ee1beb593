import type { Parsed } from '../../pipeline/exchange.ts';
import type { LoopConfig } from './config.ts';
import {
  formatSimHash,
  hammingDistance,
  hashFeature,
  SIMHASH_BITS,
  type SimHash,
} from '../../text/simhash.ts';
import type { LoopStep } from './step.ts';
import type { ArrivalLimit, RecentCall } from './store.ts';

const SECOND_MS = 1_000;

export function detectLoop(
  config: LoopConfig,
  calls: readonly RecentCall[],
  fingerprint: SimHash | undefined,
): 'fingerprint' | 'stall' | undefined {
  if (fingerprint === undefined) return undefined;
  if (isRepeated(config.fingerprint, calls, fingerprint)) return 'fingerprint';
  return isStalled(config.stall, calls, fingerprint) ? 'stall' : undefined;
}

function isRepeated(
  { threshold, window_seconds, similarity_threshold }: LoopConfig['fingerprint'],
  calls: readonly RecentCall[],
  fingerprint: SimHash,
): boolean {
  const similar = calls.filter(
    (call) =>
      call.ageMs < window_seconds * SECOND_MS &&
      similarityOf(call.fingerprint, fingerprint) >= similarity_threshold,
  );
  return similar.length >= threshold;
}

/** Compares this call and the last `low_diversity_threshold` calls in adjacent pairs. */
function isStalled(
  { min_hamming_distance, low_diversity_threshold }: LoopConfig['stall'],
  calls: readonly RecentCall[],
  fingerprint: SimHash,
): boolean {
  if (min_hamming_distance === 0 || calls.length < low_diversity_threshold) return false;
  let later = fingerprint;
  for (const call of calls.slice(0, low_diversity_threshold)) {
    if (hammingDistance(call.fingerprint, later) >= min_hamming_distance) return false;
    later = call.fingerprint;
  }
  return true;
}

function similarityOf(a: SimHash, b: SimHash): number {
  return 1 - hammingDistance(a, b) / SIMHASH_BITS;
}

/**
 * Returns the limits for a call: on all calls of its session, and on calls to the same endpoint with the same tools. A
 * setting of 0 disables a limit.
 */
export function arrivalLimits(
  { max_rps, max_endpoint_repeats, repeat_window_seconds }: LoopConfig['velocity'],
  { method, path, mcp }: Pick<Parsed, 'method' | 'path' | 'mcp'>,
  { tools }: Pick<LoopStep, 'tools'>,
): ArrivalLimit[] {
  const limits: ArrivalLimit[] = [];
  if (max_rps > 0) {
    // A rate below one per second means one call in several seconds.
    const windowMs = Math.max(SECOND_MS, Math.ceil(SECOND_MS / max_rps));
    limits.push({ name: 'rps', windowMs, limit: Math.max(1, Math.floor((max_rps * windowMs) / SECOND_MS)) });
  }
  if (max_endpoint_repeats > 0) {
    // A tool can be called at both paths of its server.
    const at = mcp === undefined ? path : `/mcp/${mcp.server}`;
    const same = formatSimHash(hashFeature([method, at, ...tools].join('\n')));
    const windowMs = repeat_window_seconds * SECOND_MS;
    limits.push({ name: `repeats/${same}`, windowMs, limit: max_endpoint_repeats });
  }
  return limits;
}
