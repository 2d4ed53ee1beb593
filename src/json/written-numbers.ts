import type { JsonPath } from './path.ts';
import { keyText, skipString, skipValue, type PathLevel } from './spans.ts';
import { CODES } from './codes.ts';

const { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } = CODES;

export interface WrittenNumber {
  readonly source: string;
  /** Nearest member name above it. */
  readonly name: string | undefined;
  /** Valid until the next number. Computed on demand, since there may be millions of deep ones. */
  readonly path: () => JsonPath;
}

interface NamedLevel extends PathLevel {
  /** Nearest name above it. */
  readonly name: string | undefined;
}

const PER_TURN = 16_384;

/**
 * Iterates over the numbers of a JSON document as written: the parsed value of a long one has lost digits.
 * Yields undefined where the caller may pause.
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
