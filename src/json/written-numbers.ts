import type { JsonPath } from './path.ts';
import { keyText, skipString, skipValue } from './spans.ts';
import { CODES } from './codes.ts';

const { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } = CODES;

/** A number as written in a document. */
export interface WrittenNumber {
  readonly source: string;
  /** The nearest member name above it. */
  readonly name: string | undefined;
  /** Computed on demand, and only before the next number: there may be millions of deeply nested ones. */
  readonly path: () => JsonPath;
}

/** A container on the way down, with the offset of the current member's name or the current element's index. */
interface NamedLevel {
  readonly isObject: boolean;
  at: number;
  /** The nearest name above it. */
  readonly name: string | undefined;
}

/** Tokens and blanks between two yields. */
const PER_TURN = 16_384;

/**
 * Iterates over the numbers of a JSON document in order, as written; one too long for a double has lost
 * digits in the parsed value. One pass over the bytes. Yields undefined, without a number, where the caller
 * may pause.
 */
export function* writtenNumbers(body: Buffer): Generator<WrittenNumber | undefined, void> {
  const levels: NamedLevel[] = [];
  let expectsName = false;
  let steps = 0;
  const nameOf = ({ isObject, at, name }: NamedLevel): string | undefined =>
    isObject ? keyText(body, at, skipString(body, at)) : name;
  const path = (): JsonPath => levels.map((level) => (level.isObject ? (nameOf(level) ?? '') : level.at));

  for (let i = 0; i < body.length;) {
    if (++steps % PER_TURN === 0) yield undefined;
    const byte = body[i] ?? 0;
    const level = levels.at(-1);
    if (byte === QUOTE) {
      if (expectsName && level !== undefined) level.at = i;
      expectsName = false;
      i = skipString(body, i);
    } else if (isNumberStart(byte)) {
      const end = skipValue(body, i);
      yield { source: body.toString('latin1', i, end), name: level && nameOf(level), path };
      i = end;
    } else {
      i += 1;
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        expectsName = byte === OPEN_OBJECT;
        levels.push({ isObject: expectsName, at: 0, name: level && nameOf(level) });
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) levels.pop();
      else if (byte === COMMA && level !== undefined) {
        expectsName = level.isObject;
        if (!level.isObject) level.at += 1;
      }
    }
  }
}

function isNumberStart(byte: number): boolean {
  return byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
}
