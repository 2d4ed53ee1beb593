import type { JsonEdit } from './path.ts';
import { GatewayError } from '../errors.ts';

/** Deepest nesting that is accepted (DECISIONS "Error bodies"). */
export const MAX_DEPTH = 64;

/** Placeholder signatures; see docblocks of the final module. */
export function parseStrict(_body: Buffer): unknown {
  throw new GatewayError('invalid_request', 'not built');
}
export function applyEdits(_body: Buffer, _edits: readonly JsonEdit[]): Buffer {
  throw new GatewayError('invalid_request', 'not built');
}
