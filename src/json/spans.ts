import type { JsonPath } from './path.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What kind of value starts at an offset. */
export type ValueKind = 'object' | 'array' | 'null' | 'other';

export function kindAt(body: Buffer, offset: number): ValueKind {
  const byte = body[offset];
  if (byte === OPEN_OBJECT) return 'object';
  if (byte === OPEN_ARRAY) return 'array';
  return byte === 0x6e ? 'null' : 'other';
}

/** A member of an object or an element of an array. */
export interface Child {
  /** The unescaped member name, or the element's index. */
  readonly name: string | number;
  /** From the opening quote of its name, or where its value starts in an array. */
  readonly start: number;
  readonly valueStart: number;
}

/**
 * Goes through the members or elements of the container that starts at `container`, in document order.
 * @param read is given each, and gives back the offset after its value: of what it goes down into, it knows it, so
 * that no byte is read twice, however deep it stands
 * @returns the offset after the container
 */
export function readChildren(body: Buffer, container: number, read: (child: Child) => number): number {
  const isObject = body[container] === OPEN_OBJECT;
  let index = 0;
  let i = skipSpace(body, container + 1);
  while (i < body.length && body[i] !== CLOSE_OBJECT && body[i] !== CLOSE_ARRAY) {
    const start = i;
    let name: string | number = index;
    if (isObject) {
      const nameEnd = skipString(body, i);
      name = keyText(body, i, nameEnd);
      i = skipSpace(body, skipSpace(body, nameEnd) + 1);
    }
    index += 1;
    i = skipSpace(body, read({ name, start, valueStart: i }));
    if (body[i] === COMMA) i = skipSpace(body, i + 1);
    // Only in what is not JSON; it must not loop for ever.
    if (i === start) return i;
  }
  return i + 1;
}

/** A container on the way down: where the name of the present member stands, or the present element's index. */
interface Level {
  readonly isObject: boolean;
  at: number;
}

/** The path of the member whose name starts at `offset`, in one pass over what stands before it. */
export function pathTo(body: Buffer, offset: number): JsonPath {
  const levels: Level[] = [];
  let expectsName = false;
  for (let i = 0; i <= offset;) {
    const byte = body[i];
    const level = levels.at(-1);
    if (byte === QUOTE) {
      if (expectsName && level !== undefined) level.at = i;
      expectsName = false;
      i = skipString(body, i);
      continue;
    }
    i += 1;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      expectsName = byte === OPEN_OBJECT;
      levels.push({ isObject: expectsName, at: 0 });
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) levels.pop();
    else if (byte === COMMA && level !== undefined) {
      expectsName = level.isObject;
      if (!level.isObject) level.at += 1;
    }
  }
  return levels.map(({ isObject, at }) => (isObject ? keyText(body, at, skipString(body, at)) : at));
}

/** The unescaped text of the string that stands, with its quotes, at `start` to `end`. */
export function keyText(body: Buffer, start: number, end: number): string {
  const text = body.toString('utf8', start + 1, Math.max(start + 1, end - 1));
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    // Not a JSON string, so not a JSON document: the parser refuses it with a better message.
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

/** The offset after the value that starts at `i`. */
export function skipValue(body: Buffer, i: number): number {
  const first = body[i];
  if (first === QUOTE) return skipString(body, i);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipContainer(body, i);
  for (; i < body.length; i += 1) {
    const byte = body[i] ?? 0;
    if (byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || byte <= 0x20) break;
  }
  return i;
}

function skipContainer(body: Buffer, i: number): number {
  let depth = 0;
  while (i < body.length) {
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
  return i;
}

/** Bytes of a string that are looked at one by one; beyond them the search for a quote is native. */
const SHORT_STRING = 64;

/** The offset after the string whose opening quote is at `i`. */
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
    // An even number of backslashes before it escape each other, not the quote.
    if ((quote - escapes) % 2 === 0) return i;
  }
  return length;
}
