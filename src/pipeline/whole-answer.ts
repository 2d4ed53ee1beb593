import { isUtf8 } from 'node:buffer';
import { assertParseable, saysAll, shapeInSteps, shapeOf } from '../json/document-shape.ts';
import { nextTurn } from '../next-turn.ts';

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
export async function readBody(body: Buffer): Promise<ReadBody> {
  const reading = readingOf(body);
  for (;;) {
    const step = reading.next();
    if (step.done === true) return step.value;
    if (body.length > LONG_BYTES) await nextTurn();
  }
}

/** The same, pass by pass. */
export function* readingOf(body: Buffer): Generator<undefined, ReadBody, void> {
  yield;
  const text = body.toString();
  yield;
  const shape = body.length > LONG_BYTES ? yield* shapeInSteps(text) : shapeOf(text);
  if (shape.isTooDeep && /^\s*[[{]/.test(text)) assertParseable(text, shape);
  if (shape.isTooDeep || shape.isTooLarge) return UNREAD;
  yield;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Not JSON: nothing to account for, and checks look at the bytes.
    return UNREAD;
  }
  yield;
  const json = isUtf8(body) && saysAll(shape, parsed) ? parsed : undefined;
  yield;
  return { parsed, json };
}
