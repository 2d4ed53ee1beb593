import { GatewayError } from '../errors.ts';

/**
 * Maximum length of a model name, in UTF-16 code units. All real names, including ARNs, are shorter. Without a limit,
 * price lookups, which scan a name several times, could take long.
 */
const MAX_MODEL_CHARS = 256;

/**
 * Matches control characters, invisible characters, lone surrogates, and white space other than inner spaces. A
 * server may drop them and serve a model other than the one that was judged and priced.
 */
const INVISIBLE = /\p{C}|[^\S ]|^ | $/u;

/** @throws GatewayError invalid_request if the name is too long or contains invisible characters */
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
      'The model name contains an invisible character, or a space at its start or end: write it as the provider does.',
    );
  }
}
