import { isUtf8 } from 'node:buffer';
import { assertParseable, saysAll, shapeOf } from '../json/document-shape.ts';

/** A whole answer's body as JSON. */
export interface ReadBody {
  /** Undefined where it is not JSON, or where parsing it would hold up the event loop. */
  readonly parsed: unknown;
  /** The same, where every parser reads the same in it; else undefined. */
  readonly json: unknown;
}

const UNREAD: ReadBody = { parsed: undefined, json: undefined };

/** @throws GatewayError upstream_unavailable where it is nested too deep */
export function readBody(body: Buffer): ReadBody {
  const text = body.toString();
  const shape = shapeOf(text);
  if (shape.isTooDeep && /^\s*[[{]/.test(text)) assertParseable(text, shape);
  if (shape.isTooDeep || shape.isTooLarge) return UNREAD;
  try {
    const parsed: unknown = JSON.parse(text);
    return { parsed, json: isUtf8(body) && saysAll(shape, parsed) ? parsed : undefined };
  } catch {
    // Not JSON: nothing to account for, and checks look at the bytes.
    return UNREAD;
  }
}
