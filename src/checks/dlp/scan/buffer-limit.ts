import { GatewayError } from '../../../errors.ts';

/** A stream of which so much would have to be held that it cannot be inspected: it fails closed. */
export function bufferLimitExceeded(): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    'the provider sent a stream of which too much must be held back to be inspected',
  );
}
