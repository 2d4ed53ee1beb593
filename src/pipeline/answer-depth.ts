import { GatewayError } from '../errors.ts';
import { nestsAtMost } from '../json/scan.ts';

/** Deeper than any dialect's answers, tool arguments included. */
const MAX_ANSWER_DEPTH = 256;
/** A smaller document is parsed in a millisecond, however it nests. */
const SMALL_BYTES = 65_536;

/**
 * Refuses an answer, or a frame of one, that is nested so deep that parsing it would hold up the event loop.
 * @throws GatewayError upstream_unavailable
 */
export function assertShallow(size: number, document: () => Buffer): void {
  if (size <= SMALL_BYTES || nestsAtMost(MAX_ANSWER_DEPTH, document())) return;
  throw new GatewayError('upstream_unavailable', 'the provider sent an answer that is nested too deep');
}
