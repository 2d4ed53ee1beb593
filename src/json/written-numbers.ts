import type { JsonPath } from './path.ts';
import { keyText, skipString, skipValue } from './spans.ts';

/** A number as it stands in a document. */
export interface WrittenNumber {
  readonly source: string;
  /** The nearest member name above it. */
  readonly name: string | undefined;
  /** Worked out only where it is asked for, before the next number: there may be millions of them, as deep as is accepted. */
  readonly path: () => JsonPath;
}

/** A container on the way down: where the name of the present member stands, or the present element's index. */
interface NamedLevel {
  readonly isObject: boolean;
  at: number;
  /** The nearest name above it. */
  readonly name: string | undefined;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Tokens and blanks after which whoever asks may put off the rest. */
const PER_TURN = 16_384;

/**
 * Goes through the numbers of a JSON document in their order, each as it is written: one that is too long for a double
 * has lost its last digits in the parsed value. One pass over the bytes; gives undefined, and no number, where others
 * may get a turn.
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
