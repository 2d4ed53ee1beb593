import { GatewayError } from '../errors.ts';

/** In UTF-16 code units. Longer than any provider's names, ARNs included. Price tables scan a name many times. */
const MAX_MODEL_CHARS = 256;

/**
 * Checks a model name from a path or body before anything else reads it.
 * @throws GatewayError invalid_request if it is too long
 */
export function assertModelName(name: string): void {
  if (name.length > MAX_MODEL_CHARS) {
    throw new GatewayError(
      'invalid_request',
      `The model name is longer than ${String(MAX_MODEL_CHARS)} characters.`,
    );
  }
}
