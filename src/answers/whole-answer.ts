import { isUtf8 } from 'node:buffer';
import { countMembers, isContainer } from '../json/count-members.ts';
import { assertParseable, hasAllMembers, shapeInSteps, shapeOf } from '../json/document-shape.ts';
import { parseInPieces, type ParsedPieces } from '../json/parse-in-pieces.ts';
import { inTurns, LONG_STEP, runNow, type Work } from '../turns.ts';

/** A whole answer's body as JSON. */
export interface ReadBody {
  /** Undefined where it is not JSON, or where parsing it would hold up the event loop. */
  readonly parsed: unknown;
  /** The same, where every parser reads the same in it; else undefined. */
  readonly json: unknown;
}

/** Not JSON: nothing to account for, and checks look at the bytes. */
const UNREAD: ReadBody = { parsed: undefined, json: undefined };

/** Longer bodies are read in steps. */
const LONG_BYTES = 262_144;

/**
 * Reads a body once, as JSON.
 * @throws GatewayError upstream_unavailable where it is nested too deep
 */
export function readJsonBody(body: Buffer): ReadBody | Promise<ReadBody> {
  return body.length > LONG_BYTES ? inTurns(readingOf(body)) : runNow(readingOf(body));
}

/** The same, pass by pass. */
export function* readingOf(body: Buffer): Work<ReadBody> {
  const isLong = body.length > LONG_BYTES;
  yield LONG_STEP;
  const text = body.toString();
  yield LONG_STEP;
  const shape = isLong ? yield* shapeInSteps(text) : shapeOf(text);
  if (shape.isTooDeep && /^\s*[[{]/.test(text)) assertParseable(text, shape);
  if (shape.isTooDeep || shape.isTooLarge) return UNREAD;
  yield LONG_STEP;
  let document: ParsedPieces;
  try {
    document = isLong ? yield* parseInPieces(text) : parseAtOnce(text);
  } catch (failure) {
    if (failure instanceof SyntaxError) return UNREAD;
    throw failure;
  }
  yield LONG_STEP;
  const { value, members } = document;
  return { parsed: value, json: isUtf8(body) && hasAllMembers(shape, members) ? value : undefined };
}

function parseAtOnce(text: string): ParsedPieces {
  const value: unknown = JSON.parse(text);
  return { value, members: isContainer(value) ? countMembers(value) : 0 };
}
