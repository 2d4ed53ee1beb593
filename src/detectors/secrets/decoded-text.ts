import type { Work } from '../../turns.ts';
import { asGiven, editInSteps, offsetIn, type TextView } from '../../inspect/offset-map.ts';
import { stickyEnd } from '../../text/sticky.ts';
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
const STEP_CHARS = 32_768;
const MAX_PADDING = 2;
const BLANKS = /[ \t\r\n]+/g;
const BLANKS_HERE = /[ \t\r\n]*/y;

/** Wrapped digits are decoded twice, joined and with line breaks: they may be a list. */
export function* decodedTexts(
  text: string,
  { encoding, start, end, digits: count, isWide }: EncodedText,
): Work<readonly DecodedText[]> {
  const encoded = text.slice(start, end);
  const lineEnds: number[] = [];
  const isOneLine = encoded.length <= count + MAX_PADDING && !encoded.includes('\n');
  const unwrapped = (isOneLine ? undefined : yield* withoutBlanks(encoded, lineEnds)) ?? asGiven(encoded);
  const digits = unwrapped.text.slice(0, count);
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
    toOriginal: (digit) => start + offsetIn(unwrapped, digit),
  };
  const breaks = lineEnds.map((lineEnd) => Math.floor(lineEnd / digitsPerCharacter));
  const lines = breaks.length === 0 ? undefined : yield* withLineBreaks(whole.text, breaks);
  if (lines === undefined) return [whole];
  const inLines: DecodedText = {
    ...whole,
    text: lines.text,
    firstDigit: (at) => whole.firstDigit(offsetIn(lines, at)),
    endDigit: (at) => whole.endDigit(offsetIn(lines, at)),
  };
  return [whole, inLines];
}

/** @param lineEnds receives the number of digits before each line break */
function withoutBlanks(encoded: string, lineEnds: number[]): Work<TextView | undefined> {
  return editInSteps(encoded, STEP_CHARS, (edited, from, to) => {
    const end = stickyEnd(BLANKS_HERE, encoded, to) ?? to;
    for (const { 0: blanks, index } of encoded.slice(from, end).matchAll(BLANKS)) {
      edited.replace(from + index, from + index + blanks.length, '');
      lineEnds.push(edited.length);
    }
    return end;
  });
}

/** @param breaks offsets in ascending order */
function withLineBreaks(text: string, breaks: readonly number[]): Work<TextView | undefined> {
  let next = 0;
  return editInSteps(text, STEP_CHARS, (edited, _from, to) => {
    for (let at = breaks[next]; at !== undefined && (at < to || to === text.length); at = breaks[++next])
      edited.replace(at, at, '\n');
    return to;
  });
}
