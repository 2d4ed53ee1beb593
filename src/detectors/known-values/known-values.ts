import { hasLettersAndDigits } from '../../text/opaque-segment.ts';
import { inTurns, ITEM_CHARS, runNow, type Work } from '../../turns.ts';
import type { Finding } from '../finding.ts';
import type { Label } from '../literal.ts';
import { readingsOf } from './readings.ts';

/** Finds values that a text must not reveal, such as credentials sent to its author. */
export interface KnownValues {
  readonly isEmpty: boolean;
  /** Whether one of the values is a number, which JSON may write without quotes. */
  readonly hasNumbers: boolean;
  /** Returns the findings of each text. Works in event-loop turns. Stops after `most` + 1 findings in all texts. */
  findAll(texts: readonly string[], most?: number): Promise<readonly (readonly Finding[])[]>;
  isIn(text: string): boolean;
}

/** Lowercase search terms. */
interface Needles {
  /** Terms for decoded texts. */
  readonly plain: readonly string[];
  /** Terms for texts reduced to letters and digits. */
  readonly squeezed: readonly string[];
}

/** Creates a search for values: in any case, escaped, in hexadecimal or Base64, as byte lists, and split by signs. */
export function createKnownValues(values: readonly string[], label: Label): KnownValues {
  const needles = needlesOf(new Set(values));
  const isEmpty = needles.plain.length === 0;
  return {
    isEmpty,
    hasNumbers: values.some((value) => /^\d+$/.test(value)),
    isIn: (text) => !isEmpty && runNow(findInSteps(text, needles, label, 0)).length > 0,
    async findAll(texts, most = Infinity) {
      if (isEmpty) return texts.map(() => []);
      const all: (readonly Finding[])[] = [];
      let left = most;
      for (const text of texts) {
        const found = left < 0 ? [] : await inTurns(findInSteps(text, needles, label, left));
        left -= found.length;
        all.push(found);
      }
      return all;
    },
  };
}

/** Returns at most `most` + 1 findings. */
function* findInSteps(
  text: string,
  { plain, squeezed }: Needles,
  label: Label,
  most: number,
): Work<readonly Finding[]> {
  const found: Finding[] = [];
  if (text.length === 0) return found;
  const readings = yield* readingsOf(text);
  const searches = [
    ...readings.decoded.map((reading) => ({ reading, needles: plain })),
    { reading: readings.squeezed, needles: squeezed },
  ];
  for (const { reading, needles } of searches) {
    const { text: read, toOriginal } = reading;
    for (const needle of needles) {
      for (let at = read.indexOf(needle); at >= 0; at = read.indexOf(needle, at + needle.length)) {
        found.push({ ...label, ...toOriginal({ start: at, end: at + needle.length }) });
        if (found.length > most) return found;
        yield ITEM_CHARS;
      }
      yield read.length >> 3;
    }
  }
  return found;
}

const MIN_CHARS = 8;
/** Higher minimum for letters and digits alone, which match more texts. */
const MIN_SQUEEZED_CHARS = 12;

function needlesOf(values: ReadonlySet<string>): Needles {
  const plain = new Set<string>();
  const squeezed = new Set<string>();
  for (const value of values) {
    const readings = runNow(readingsOf(value));
    const encoded = encodings(value);
    for (const needle of [...readings.decoded.map(({ text }) => text), ...encoded]) {
      if (needle.length >= MIN_CHARS) plain.add(needle);
    }
    const others = [...encoded, ...byteLists(value)].map(lettersAndDigits);
    for (const needle of [readings.squeezed.text, ...others]) if (isTelling(needle)) squeezed.add(needle);
  }
  return { plain: [...plain], squeezed: [...squeezed] };
}

function isTelling(needle: string): boolean {
  return needle.length >= MIN_SQUEEZED_CHARS && (hasLettersAndDigits(needle) || /^\d{16,}$/.test(needle));
}

function lettersAndDigits(text: string): string {
  return text.replaceAll(/[^a-z0-9]/g, '');
}

/** Returns the hexadecimal and Base64 forms of the value in UTF-8 and UTF-16LE, and the doubly encoded Base64 form. */
function encodings(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const wide = Buffer.from(value, 'utf16le');
  const inBase64 = [bytes, wide, Buffer.from(bytes.toString('base64'))].flatMap(base64Within);
  return [bytes.toString('hex'), wide.toString('hex'), ...inBase64].map((text) => text.toLowerCase());
}

/** Returns the Base64 digits that do not depend on adjacent bytes, for each alignment and in both alphabets. */
export function base64Within(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor(((before + bytes.length) * 8) / 6);
    const base64 = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(first, last);
    return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Returns lists such as `97 98` and `0x61 0x62`. */
function byteLists(value: string): readonly string[] {
  const bytes = [...Buffer.from(value)];
  return [bytes.join(' '), bytes.map((byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(' ')];
}
