import { LONG_STEP, type Work } from '../../turns.ts';
import { offsetIn, OffsetMap, type TextView } from '../../inspect/offset-map.ts';
import type { EncodedText } from './encoded-runs.ts';

export interface DecodedText {
  readonly text: string;
  /** Returns the index of the digit in which a character begins, or after the last digit of the preceding one. */
  readonly firstDigit: (at: number) => number;
  readonly endDigit: (at: number) => number;
  /** Returns a digit's offset in the encoded text. */
  readonly toOriginal: (digit: number) => number;
}

/** A multiple of whole bytes in both encodings. */
const STEP_DIGITS = 32_768;
const STEP_LINES = 4_096;
const MAX_PADDING = 2;
const BLANKS = /[ \t\r\n]+/g;

/** Wrapped digits are decoded twice, joined and with line breaks: they may be a list. */
export function* decodedTexts(text: string, encoded: EncodedText): Work<readonly DecodedText[]> {
  const { encoding, start, isWide } = encoded;
  const unwrappedText = yield* unwrapped(text, encoded);
  const { text: digits, lineEnds } = unwrappedText;
  const parts: string[] = [];
  for (let from = 0; from < digits.length; from += STEP_DIGITS) {
    const bytes = Buffer.from(digits.slice(from, from + STEP_DIGITS), encoding.name).toString('latin1');
    parts.push(isWide ? bytes.replaceAll('\0', '') : bytes);
    if (from + STEP_DIGITS < digits.length) yield STEP_DIGITS;
  }
  const digitsPerCharacter = (isWide ? 16 : 8) / encoding.bitsPerDigit;
  const whole: DecodedText = {
    text: parts.join(''),
    firstDigit: (at) => Math.floor(at * digitsPerCharacter),
    endDigit: (at) => Math.min(digits.length, Math.ceil(at * digitsPerCharacter)),
    toOriginal: (digit) => start + offsetIn(unwrappedText, digit),
  };
  if (lineEnds.length === 0) return [whole];
  return [whole, yield* inLines(whole, lineEnds, digitsPerCharacter)];
}

function* inLines(
  { text, firstDigit, endDigit, toOriginal }: DecodedText,
  lineEnds: readonly number[],
  digitsPerCharacter: number,
): Work<DecodedText> {
  const parts: string[] = [];
  const breaks = new OffsetMap();
  let copied = 0;
  for (const lineEnd of lineEnds) {
    const at = Math.floor(lineEnd / digitsPerCharacter);
    parts.push(text.slice(copied, at));
    copied = at;
    breaks.add(at, at, at + parts.length - 1, at + parts.length);
    if (parts.length % STEP_LINES === 0) yield;
  }
  parts.push(text.slice(copied));
  const lines = { text: parts.join('\n'), toOriginal: breaks.toOriginal };
  return {
    text: lines.text,
    firstDigit: (at) => firstDigit(offsetIn(lines, at)),
    endDigit: (at) => endDigit(offsetIn(lines, at)),
    toOriginal,
  };
}

interface Unwrapped extends TextView {
  readonly lineEnds: readonly number[];
}

function* unwrapped(text: string, { start, end, digits: count }: EncodedText): Work<Unwrapped> {
  const map = new OffsetMap();
  const { toOriginal } = map;
  const encoded = text.slice(start, end);
  const lineEnds: number[] = [];
  if (encoded.length <= count + MAX_PADDING && !encoded.includes('\n')) {
    return { text: encoded.slice(0, count), lineEnds, toOriginal };
  }
  if (encoded.length > STEP_DIGITS) yield LONG_STEP;
  const parts: string[] = [];
  let length = 0;
  let copied = 0;
  for (const { 0: blanks, index } of encoded.matchAll(BLANKS)) {
    parts.push(encoded.slice(copied, index));
    length += index - copied;
    copied = index + blanks.length;
    lineEnds.push(length);
    map.add(index, copied, length, length);
    if (parts.length % STEP_LINES === 0) yield;
  }
  parts.push(encoded.slice(copied));
  return { text: parts.join('').slice(0, count), lineEnds, toOriginal };
}
