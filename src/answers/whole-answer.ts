import { isUtf8 } from 'node:buffer';
import { assertParseable, saysAll, shapeInSteps, shapeOf } from '../json/document-shape.ts';
import { inTurns, LONG_STEP, runNow } from '../turns.ts';
import type { Work } from '../turns.ts';

/** A whole answer's body as JSON. */
export interface ReadBody {
  /** Undefined where it is not JSON, or where parsing it would hold up the event loop. */
  readonly parsed: unknown;
  /** The same, where every parser reads the same in it; else undefined. */
  readonly json: unknown;
}

const UNREAD: ReadBody = { parsed: undefined, json: undefined };

/** Of longer bodies each pass is a turn of its own: the largest take some 20 ms for each. */
const LONG_BYTES = 262_144;

/**
 * Reads a body once, as JSON.
 * @throws GatewayError upstream_unavailable where it is nested too deep
 */
export function readBody(body: Buffer): ReadBody | Promise<ReadBody> {
  return body.length > LONG_BYTES ? inTurns(readingOf(body)) : runNow(readingOf(body));
}

/** The same, pass by pass. */
export function* readingOf(body: Buffer): Work<ReadBody> {
  yield LONG_STEP;
  const text = body.toString();
  yield LONG_STEP;
  const shape = body.length > LONG_BYTES ? yield* shapeInSteps(text) : shapeOf(text);
  if (shape.isTooDeep && /^\s*[[{]/.test(text)) assertParseable(text, shape);
  if (shape.isTooDeep || shape.isTooLarge) return UNREAD;
  yield LONG_STEP;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not JSON: nothing to account for, and checks look at the bytes.
    return UNREAD;
  }
  yield LONG_STEP;
  const json = isUtf8(body) && saysAll(shape, parsed) ? parsed : undefined;
  yield LONG_STEP;
  return { parsed, json };
}
