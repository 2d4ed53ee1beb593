import { GatewayError } from '../errors.ts';

/** In UTF-16 code units: longer than any name, ARNs included. Bounds price look-ups, which scan a name often. */
const MAX_MODEL_CHARS = 256;

/**
 * Control characters, invisible characters, lone surrogates, and white space other than a single blank between words. A
 * server may drop them and serve another model than the one that rules and prices were applied to.
 */
const INVISIBLE = /\p{C}|[^\S ]|^ | $/u;

/**
 * Checks a model name from a path or body before any other use of it.
 * @throws GatewayError invalid_request if the name is too long or contains invisible characters
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
      'The model name has an invisible character, or a blank at its start or end: write it as the provider does.',
    );
  }
}
