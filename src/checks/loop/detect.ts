import type { LoopConfig } from './config.ts';
import { hammingDistance, SIMHASH_BITS, type SimHash } from '../../text/simhash.ts';
import type { RecentCall } from './store.ts';

type Settings = LoopConfig;

/** Reports whether the window already has `threshold` calls like this one. */
export function isRepeated(
  { threshold, window_seconds, similarity_threshold }: Settings['fingerprint'],
  calls: readonly RecentCall[],
  fingerprint: SimHash,
): boolean {
  const similar = calls.filter(
    (call) =>
      call.ageMs < window_seconds * 1_000 &&
      similarityOf(call.fingerprint, fingerprint) >= similarity_threshold,
  );
  return similar.length >= threshold;
}

/**
 * Reports whether this call and each of the last `low_diversity_threshold` hardly differ from the call
 * before. `calls` has the newest first.
 */
export function isStalled(
  { min_hamming_distance, low_diversity_threshold }: Settings['stall'],
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

function similarityOf(one: SimHash, other: SimHash): number {
  return 1 - hammingDistance(one, other) / SIMHASH_BITS;
}
