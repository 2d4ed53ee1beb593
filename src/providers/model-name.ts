import { GatewayError } from '../errors.ts';

/** In UTF-16 code units. Longer than any provider's names, ARNs included. Price tables scan a name many times. */
const MAX_MODEL_CHARS = 256;

/**
 * Controls, invisible characters, lone surrogates, and white space other than a blank between words. A server may drop
 * them, and serve another model than the one that rules and prices were looked up for.
 */
const INVISIBLE = /\p{C}|[^\S ]|^ | $/u;

/**
 * Checks a model name from a path or body before anything else reads it.
 * @throws GatewayError invalid_request if it is too long, or has characters that cannot be seen
 */
export function assertModelName(name: string): void {
  if (name.length > MAX_MODEL_CHARS) {
    throw new GatewayError(
      'invalid_request',
      `The model name is longer than ${String(MAX_MODEL_CHARS)} characters.`,
    );
  }
  if (INVISIBLE.test(name)) {
    throw new GatewayError(
      'invalid_request',
      'The model name has a character that cannot be seen, or a blank at an end: write it as the provider does.',
    );
  }
}
