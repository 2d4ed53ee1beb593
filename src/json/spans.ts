import type { Work } from '../turns.ts';
import type { JsonPath } from './path.ts';
import { CODES } from './codes.ts';

const { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } = CODES;

type ValueKind = 'object' | 'array' | 'null' | 'other';

export function kindAt(body: Buffer, offset: number): ValueKind {
  const byte = body[offset];
  if (byte === OPEN_OBJECT) return 'object';
  if (byte === OPEN_ARRAY) return 'array';
  return byte === 0x6e ? 'null' : 'other';
}

export interface Child {
  /** Unescaped member name, or index. */
  readonly name: string | number;
  /** Offset of the name's opening quote, or of the element. */
  readonly start: number;
  readonly valueStart: number;
}

export class Children {
  readonly isObject: boolean;
  /** Offset after the container, set once `next` returns undefined. */
  end = 0;
  readonly #body: Buffer;
  #at: number;
  #index = 0;
  #lastStart = -1;

  constructor(body: Buffer, container: number) {
    this.isObject = body[container] === OPEN_OBJECT;
    this.#body = body;
    this.#at = skipSpace(body, container + 1);
  }

  next(): Child | undefined {
    const body = this.#body;
    const start = this.#at;
    const byte = body[start];
    // Only invalid JSON yields the same offset twice. Stopping avoids an endless loop.
    if (start === this.#lastStart || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || start >= body.length) {
      this.end = start === this.#lastStart ? start : start + 1;
      return undefined;
    }
    this.#lastStart = start;
    const index = this.#index++;
    if (!this.isObject) return { name: index, start, valueStart: start };
    const nameEnd = skipString(body, start);
    const valueStart = skipSpace(body, skipSpace(body, nameEnd) + 1);
    return { name: keyText(body, start, nameEnd), start, valueStart };
  }

  /** Continues after the value of the last child, whose end the caller knows. */
  leave(valueEnd: number): void {
    const at = skipSpace(this.#body, valueEnd);
    this.#at = this.#body[at] === COMMA ? skipSpace(this.#body, at + 1) : at;
  }
}

interface PathLevel {
  readonly isObject: boolean;
  /** Offset of the current member's name, or index of the current element. */
  at: number;
  /** The nearest enclosing object, if any. */
  readonly holder: NamingLevel | undefined;
}

/** An object with a container in its current member. */
interface NamingLevel {
  readonly level: PathLevel;
  /** The name of that member. Cached, because it may be long and apply to many values. */
  name: string | undefined;
}

/** Tracks the path while the caller scans a document from the start. */
export class PathScan {
  readonly #body: Buffer;
  readonly #levels: PathLevel[] = [];
  #expectsName = false;

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** Processes the string or byte at `i`. Returns the next offset. */
  step(i: number): number {
    const byte = this.#body[i];
    const level = this.#levels.at(-1);
    if (byte === QUOTE) {
      if (this.#expectsName && level !== undefined) level.at = i;
      this.#expectsName = false;
      return skipString(this.#body, i);
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.#expectsName = byte === OPEN_OBJECT;
      // The name is read on demand, because invalid JSON may open many containers after one long name.
      const holder = level?.isObject === true ? { level, name: undefined } : level?.holder;
      this.#levels.push({ isObject: this.#expectsName, at: 0, holder });
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#levels.pop();
    else if (byte === COMMA && level !== undefined) {
      this.#expectsName = level.isObject;
      if (!level.isObject) level.at += 1;
    }
    return i + 1;
  }

  /** The nearest enclosing member name. */
  get name(): string | undefined {
    const level = this.#levels.at(-1);
    if (level?.isObject === true) return this.#nameAt(level.at);
    const holder = level?.holder;
    return holder === undefined ? undefined : (holder.name ??= this.#nameAt(holder.level.at));
  }

  path(): JsonPath {
    return this.#levels.map(({ isObject, at }) => (isObject ? this.#nameAt(at) : at));
  }

  #nameAt(start: number): string {
    return keyText(this.#body, start, skipString(this.#body, start));
  }
}

/** Returns the path of the member whose name starts at `offset`. */
export function pathTo(body: Buffer, offset: number): JsonPath {
  const scan = new PathScan(body);
  for (let i = 0; i <= offset;) i = scan.step(i);
  return scan.path();
}

/** Returns the unescaped text of the quoted string from `start` to `end`. */
export function keyText(body: Buffer, start: number, end: number): string {
  const text = body.toString('utf8', start + 1, Math.max(start + 1, end - 1));
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    // Invalid JSON. The parser will refuse the document with a better message.
    return text;
  }
}

export function skipSpace(body: Buffer, i: number): number {
  for (; i < body.length; i += 1) {
    const byte = body[i];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
  }
  return i;
}

/** Returns the offset after the value that starts at `i`. */
export function skipValue(body: Buffer, i: number): number {
  const first = body[i];
  if (first === QUOTE) return skipString(body, i);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
    const cursor = { at: i, depth: 0 };
    scanOn(body, cursor, Infinity);
    return cursor.at;
  }
  for (; i < body.length; i += 1) {
    const byte = body[i] ?? 0;
    if (byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || byte <= 0x20) break;
  }
  return i;
}

/** Number of bytes of a container between two yields. */
const STEP_BYTES = 524_288;

/** Same as `skipValue`, but returns undefined for a container longer than a step. */
export function skipShort(body: Buffer, i: number): number | undefined {
  const first = body[i];
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return skipValue(body, i);
  const cursor = { at: i, depth: 0 };
  return scanOn(body, cursor, i + STEP_BYTES) ? cursor.at : undefined;
}

export function* skipLong(body: Buffer, i: number): Work<number> {
  const cursor = { at: i, depth: 0 };
  while (!scanOn(body, cursor, cursor.at + STEP_BYTES)) yield;
  return cursor.at;
}

/** Scans on to the end of the container or body (true), or to about `until` (false). */
function scanOn(body: Buffer, cursor: { at: number; depth: number }, until: number): boolean {
  let { at: i, depth } = cursor;
  const to = Math.min(until, body.length);
  while (i < to) {
    const byte = body[i];
    if (byte === QUOTE) {
      i = skipString(body, i);
      continue;
    }
    i += 1;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1;
      if (depth === 0) break;
    }
  }
  cursor.at = i;
  cursor.depth = depth;
  return depth === 0 || i >= body.length;
}

/** Number of bytes read one by one before a native search for the quote. */
const SHORT_STRING = 64;

/** Returns the offset after the string whose opening quote is at `i`. */
export function skipString(body: Buffer, i: number): number {
  const length = body.length;
  i += 1;
  while (i < length) {
    const near = Math.min(i + SHORT_STRING, length);
    while (i < near) {
      const byte = body[i];
      if (byte === QUOTE) return i + 1;
      i += byte === BACKSLASH ? 2 : 1;
    }
    const quote = body.indexOf(QUOTE, i);
    if (quote < 0) return length;
    let escapes = quote;
    while (escapes > i && body[escapes - 1] === BACKSLASH) escapes -= 1;
    i = quote + 1;
    // Pairs of backslashes do not escape the quote.
    if ((quote - escapes) % 2 === 0) return i;
  }
  return length;
}
