import { GrowingBytes } from '../../streams/growing-bytes.ts';
import { CODES } from '../../json/codes.ts';

const { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } = CODES;

/** Maximum size of a part: a step, or a document without its steps. */
const MAX_PIECE_BYTES = 16 * 1_048_576;

/** Arrays that are split into elements, by path. */
const LISTS: ReadonlySet<string> = new Set(['', 'traces', 'steps', 'resourceSpans.scopeSpans.spans']);
const PARENTS_OF_LISTS: ReadonlySet<string> = new Set(['resourceSpans', 'resourceSpans.scopeSpans']);

export type SplitPart =
  /** An array element. `head` is the document so far without array elements; elements of an array share one `head`. */
  | { readonly kind: 'element'; readonly bytes: Buffer; readonly line: number; readonly head: Buffer }
  /** An element or document that was skipped. */
  | { readonly kind: 'too_long'; readonly line: number }
  /** The end of a document. `bytes` is the whole document without array elements. */
  | { readonly kind: 'document'; readonly bytes: Buffer; readonly line: number; readonly hasLists: boolean };

/** The document is not JSON, or is incomplete. */
export class SplitError extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.name = 'SplitError';
    this.line = line;
  }
}

interface Frame {
  readonly isArray: boolean;
  readonly path: string;
  /** Length of the skeleton before this container. */
  readonly mark: number;
  expects: 'name' | 'colon' | 'value' | 'end';
  /** Whether the container is empty so far and may end. */
  isFresh: boolean;
  name: string;
}

const LINE_FEED = 0x0a;
const EMPTY = Buffer.alloc(0);
const WORD_CHARACTER = /[-0-9A-Za-z]/;

/**
 * Splits a JSON document as it arrives, to limit memory. Finds only where values begin and end; parts must be parsed.
 */
export class JsonSplitter {
  #line: number;
  readonly #frames: Frame[] = [];
  readonly #skeleton = new GrowingBytes(MAX_PIECE_BYTES);
  readonly #value = new GrowingBytes(MAX_PIECE_BYTES);
  #pieces: SplitPart[] = [];
  #head: Buffer = EMPTY;
  #hasLists = false;
  #isOver = false;
  #reading: 'name' | 'member' | 'element' | undefined;
  #form: 'string' | 'compound' | 'word' = 'word';
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #startLine = 0;

  constructor(line = 1) {
    this.#line = line;
  }

  get line(): number {
    return this.#line;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Consumes bytes up to the end of the document. Returns their number.
   * @throws SplitError
   */
  push(chunk: Uint8Array, pieces: SplitPart[]): number {
    this.#pieces = pieces;
    let at = 0;
    while (at < chunk.length && !this.#isOver) {
      at = this.#reading === undefined ? this.#structure(chunk, at) : this.#rest(chunk, at);
    }
    return at;
  }

  /** @throws SplitError if the document is incomplete */
  end(): void {
    if (this.#isOver) return;
    throw new SplitError('the input ends before its JSON is complete', this.#line);
  }

  #structure(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] ?? 0;
    if (byte <= 0x20) {
      if (byte === LINE_FEED) this.#line += 1;
      return at + 1;
    }
    const frame = this.#frames.at(-1);
    if (frame === undefined) return this.#begin(byte, at);
    switch (frame.expects) {
      case 'name':
        if (byte === CLOSE_OBJECT && frame.isFresh) return this.#close(frame, at);
        if (byte !== QUOTE) this.#broken();
        return this.#open('name', byte, at);
      case 'colon':
        if (byte !== COLON) this.#broken();
        frame.expects = 'value';
        this.#skeleton.add(chunk, at, at + 1);
        return at + 1;
      case 'value':
        if (byte === CLOSE_ARRAY && frame.isArray && frame.isFresh) return this.#close(frame, at);
        return this.#beginValue(frame, byte, at);
      case 'end':
        if (byte === (frame.isArray ? CLOSE_ARRAY : CLOSE_OBJECT)) return this.#close(frame, at);
        if (byte !== COMMA) this.#broken();
        frame.expects = frame.isArray ? 'value' : 'name';
        if (!frame.isArray) this.#skeleton.add(chunk, at, at + 1);
        return at + 1;
    }
  }

  /** Starts the outermost value: an array of elements, or an object. */
  #begin(byte: number, at: number): number {
    this.#startLine = this.#line;
    if (byte === OPEN_ARRAY) this.#enter(true, '');
    else if (byte === OPEN_OBJECT) this.#enter(false, '');
    else this.#broken();
    return at + 1;
  }

  #beginValue(frame: Frame, byte: number, at: number): number {
    frame.isFresh = false;
    frame.expects = 'end';
    if (frame.isArray) {
      if (LISTS.has(frame.path)) return this.#open('element', byte, at);
      // Drops previous elements.
      this.#skeleton.cut(frame.mark + 1);
      if (byte !== OPEN_OBJECT) return this.#open('member', byte, at);
      this.#enter(false, frame.path);
      return at + 1;
    }
    const path = frame.path === '' ? frame.name : `${frame.path}.${frame.name}`;
    if (byte !== OPEN_ARRAY || (!LISTS.has(path) && !PARENTS_OF_LISTS.has(path)))
      return this.#open('member', byte, at);
    this.#enter(true, path);
    return at + 1;
  }

  #enter(isArray: boolean, path: string): void {
    const mark = this.#skeleton.length;
    this.#skeleton.addByte(isArray ? OPEN_ARRAY : OPEN_OBJECT);
    this.#frames.push({ isArray, path, mark, expects: isArray ? 'value' : 'name', isFresh: true, name: '' });
    if (!isArray || !LISTS.has(path)) return;
    this.#hasLists = true;
    const closers = this.#frames.map((frame) => (frame.isArray ? CLOSE_ARRAY : CLOSE_OBJECT)).reverse();
    this.#head = Buffer.concat([this.#skeleton.copy(), Buffer.from(closers)]);
  }

  #close(frame: Frame, at: number): number {
    this.#skeleton.addByte(frame.isArray ? CLOSE_ARRAY : CLOSE_OBJECT);
    this.#frames.pop();
    if (this.#frames.length === 0) this.#finish();
    return at + 1;
  }

  #finish(): void {
    this.#isOver = true;
    const line = this.#startLine;
    const bytes = this.#skeleton.take();
    this.#pieces.push(
      bytes === undefined
        ? { kind: 'too_long', line }
        : { kind: 'document', bytes, line, hasLists: this.#hasLists },
    );
  }

  #open(reading: 'name' | 'member' | 'element', byte: number, at: number): number {
    this.#reading = reading;
    this.#form = valueForm(byte) ?? this.#broken();
    this.#depth = 0;
    this.#inString = false;
    this.#isEscaped = false;
    if (reading === 'element') this.#startLine = this.#line;
    return at;
  }

  #rest(chunk: Uint8Array, from: number): number {
    const end = this.#form === 'word' ? endOfWord(chunk, from) : this.#endOfValue(chunk, from);
    const to = end ?? chunk.length;
    if (this.#reading !== 'element') this.#skeleton.add(chunk, from, to);
    if (this.#reading !== 'member') this.#value.add(chunk, from, to);
    if (end !== undefined) this.#endValue();
    return to;
  }

  /** Returns the end of a string, object or array, or undefined if the end is not in the chunk. */
  #endOfValue(chunk: Uint8Array, from: number): number | undefined {
    let depth = this.#depth;
    let inString = this.#inString;
    let isEscaped = this.#isEscaped;
    let line = this.#line;
    let isOver = false;
    let at = from;
    for (; at < chunk.length && !isOver; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte === LINE_FEED) line += 1;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) {
          inString = false;
          isOver = depth === 0;
        }
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth -= 1;
        isOver = depth === 0;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#isEscaped = isEscaped;
    this.#line = line;
    return isOver ? at : undefined;
  }

  #endValue(): void {
    const reading = this.#reading;
    this.#reading = undefined;
    if (reading === 'member') return;
    const bytes = this.#value.take();
    if (reading === 'name') this.#nameMember(bytes);
    else if (bytes === undefined) this.#pieces.push({ kind: 'too_long', line: this.#startLine });
    else this.#pieces.push({ kind: 'element', bytes, line: this.#startLine, head: this.#head });
  }

  #nameMember(bytes: Buffer | undefined): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined || bytes === undefined) this.#broken();
    frame.isFresh = false;
    frame.expects = 'colon';
    frame.name = bytes.toString('latin1', 1, bytes.length - 1);
  }

  #broken(): never {
    throw new SplitError('is not JSON', this.#line);
  }
}

function valueForm(byte: number): 'string' | 'compound' | 'word' | undefined {
  if (byte === QUOTE) return 'string';
  if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) return 'compound';
  return WORD_CHARACTER.test(String.fromCharCode(byte)) ? 'word' : undefined;
}

/** Returns the end of a number or literal, or undefined if it may continue in the next chunk. */
function endOfWord(chunk: Uint8Array, from: number): number | undefined {
  for (let at = from; at < chunk.length; at += 1) {
    const byte = chunk[at] ?? 0;
    if (byte <= 0x20 || byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) return at;
  }
  return undefined;
}
