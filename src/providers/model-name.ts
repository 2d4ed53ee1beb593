import { GatewayError } from '../errors.ts';

/** In UTF-16 code units. No provider has a longer name, ARNs included; price tables read a name many times over. */
const MAX_MODEL_CHARS = 256;

/**
 * Judges the name of a model, from a path or a body, before anything else reads it.
 * @throws GatewayError invalid_request
 */
export function assertModelName(name: string): void {
  if (name.length > MAX_MODEL_CHARS) {
    throw new GatewayError(
      'invalid_request',
      `the name of a model has at most ${String(MAX_MODEL_CHARS)} characters`,
    );
  }
}
