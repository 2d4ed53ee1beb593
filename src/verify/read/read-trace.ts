import { readLines } from '../../scan/lines.ts';
import { UNKNOWN_AGENT } from '../formats/fields.ts';
import { DEFAULT_SESSION, unreadableStep, type Context, type TracePlace, type ReadElement } from '../step.ts';
import { createDocumentReader } from './document.ts';
import { createElementReader } from './elements.ts';
import { JsonSplitter, SplitError, type SplitPart } from './split.ts';

type Bytes = AsyncIterable<Uint8Array>;

/** A longer first line begins a multi-line document. */
const MAX_FIRST_LINE_BYTES = 65_536;
const LINE_FEED = 0x0a;
const MARK = Buffer.from('\uFEFF');

const CONTEXT: Context = {
  sessionId: DEFAULT_SESSION,
  agent: UNKNOWN_AGENT,
  provider: undefined,
  model: undefined,
};

/** Parses a trace as it arrives: one JSON document, or one per line. Stops if the next element cannot be found. */
export async function* readTrace(bytes: Bytes): AsyncGenerator<readonly ReadElement[]> {
  const elements = createElementReader();
  let index = 0;
  const next = (line: number): TracePlace => ({ index: index++, line });
  const source = await openTrace(bytes);
  let lines = 0;
  let rest: Bytes = source.bytes;
  if (!source.isOfLines) {
    const splitter = new JsonSplitter();
    const document = createDocumentReader({ elements, context: CONTEXT, next });
    const left = { rest };
    try {
      for await (const pieces of piecesOf(splitter, left)) {
        const read = pieces.flatMap((piece) => document.read(piece));
        // Document ends, and parts that are held back, yield nothing.
        if (read.length > 0) yield read;
      }
    } catch (failure) {
      if (!(failure instanceof SplitError)) throw failure;
      yield [...document.flush(), ...elements.end()];
      yield [{ ...next(failure.line), ...unreadableStep(failure.message) }];
      return;
    }
    rest = left.rest;
    lines = splitter.line - 1;
  }
  for await (const line of readLines(rest)) {
    const number = line.number + lines;
    if ('problem' in line) yield [{ ...next(number), ...unreadableStep(line.problem) }];
    else yield readLine(line.text, number);
  }
  yield elements.end();

  function readLine(text: string, number: number): ReadElement[] {
    const sessionId = number === 1 ? DEFAULT_SESSION : `${DEFAULT_SESSION}-${String(number)}`;
    const context = { ...CONTEXT, sessionId };
    const splitter = new JsonSplitter(number);
    const pieces: SplitPart[] = [];
    const line = Buffer.from(text);
    try {
      const end = splitter.push(line, pieces);
      splitter.end();
      if (line.subarray(end).some((byte) => byte > 0x20))
        throw new SplitError('has more than one JSON value', number);
    } catch (failure) {
      if (!(failure instanceof SplitError)) throw failure;
      return [{ ...next(number), ...unreadableStep(failure.message) }];
    }
    const isList = pieces.some((piece) => piece.kind === 'document' && piece.hasLists);
    const document = createDocumentReader({ elements, context: isList ? context : CONTEXT, next });
    return pieces.flatMap((piece) => document.read(piece));
  }
}

/** Yields the parts of one document while it arrives. Leaves the bytes after its end in `left.rest`. */
async function* piecesOf(
  splitter: JsonSplitter,
  left: { rest: Bytes },
): AsyncGenerator<readonly SplitPart[]> {
  const chunks = left.rest[Symbol.asyncIterator]();
  for (;;) {
    const step = await chunks.next();
    if (step.done === true) break;
    const pieces: SplitPart[] = [];
    let end: number;
    try {
      end = splitter.push(step.value, pieces);
    } catch (failure) {
      // The part before the error is readable.
      yield pieces;
      throw failure;
    }
    yield pieces;
    if (!splitter.isOver) continue;
    left.rest = followed(step.value.subarray(end), chunks);
    return;
  }
  splitter.end();
}

interface OpenedTrace {
  readonly bytes: Bytes;
  /** Whether the first line is a whole document. */
  readonly isOfLines: boolean;
}

async function openTrace(bytes: Bytes): Promise<OpenedTrace> {
  const chunks = bytes[Symbol.asyncIterator]();
  let first = Buffer.alloc(0);
  let isOver = false;
  while (!isOver && first.length < MAX_FIRST_LINE_BYTES && !first.includes(LINE_FEED)) {
    const step = await chunks.next();
    isOver = step.done === true;
    if (step.done !== true) first = Buffer.concat([first, step.value]);
  }
  if (first.subarray(0, MARK.length).equals(MARK)) first = first.subarray(MARK.length);
  return {
    bytes: followed(first, chunks),
    isOfLines: isWhole(first.subarray(0, first.indexOf(LINE_FEED))),
  };
}

function isWhole(line: Uint8Array): boolean {
  const splitter = new JsonSplitter();
  try {
    splitter.push(line, []);
  } catch (failure) {
    if (failure instanceof SplitError) return false;
    throw failure;
  }
  return splitter.isOver;
}

async function* followed(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}
