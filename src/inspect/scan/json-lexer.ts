import { lastUpTo } from '../../text/ascending.ts';
import { CODES } from '../../json/codes.ts';

const { BACKSLASH, QUOTE } = CODES;

/** A part of a JSON text that can hold a finding. Offsets are those of the text as it came. */
export interface Token {
  readonly kind:
    /** What stands between two quotes. */
    | 'string'
    /** A number, or the beginning of one. */
    | 'number'
    /** `true`, `null`, and whatever is no JSON. */
    | 'other';
  readonly start: number;
  /** Infinity where it has not come. */
  readonly end: number;
  /** Nothing but blanks parts it from the token before: neither is a value, the text is no JSON. */
  readonly joinsPrevious: boolean;
  /** Such a token follows it; `maybe` where too little has come. */
  readonly isJoined: boolean | 'maybe';
}

const STRING = 0;
const NUMBER = 1;
const OTHER = 2;
const KINDS = ['string', 'number', 'other'] as const;

/** What a character is outside of strings: 0 is one of a token that is no number. */
const BLANK = 1;
const STRUCTURE = 2;
/** At the beginning of a number, and in it. */
const DIGIT = 3;
const EXPONENT = 4;
const CLASSES = new Uint8Array(128);
for (const character of ' \t\r\n') CLASSES[character.charCodeAt(0)] = BLANK;
for (const character of '{}[]:,') CLASSES[character.charCodeAt(0)] = STRUCTURE;
for (const character of '0123456789+-.') CLASSES[character.charCodeAt(0)] = DIGIT;
for (const character of 'eE') CLASSES[character.charCodeAt(0)] = EXPONENT;

/** A longer one is no card's or phone's, and is not held back to its end. */
const MAX_NUMBER_CHARS = 256;
/** So much is forgotten at once. */
const MANY = 64;

const MEANINGS: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Reads a JSON text that comes in chunks, however it is cut. It is given out with the escapes of its strings read and
 * all else in its place, so that detectors see values as a program does; what is no JSON stays as it is. Linear.
 */
export class JsonLexer {
  /** Of what was read, in the text as it came. */
  #end = 0;
  /** An escape that has not come to its end. */
  #rest = '';
  #inString = false;
  /** In the middle of a number or another token. */
  #inToken = false;
  /** Nothing but blanks came since such a token. */
  #afterToken = false;
  /** Tokens, a list for each of their members: a document may have a million. */
  readonly #kinds: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #joins: boolean[] = [];
  /** Where an escape ended in what was given out, and how far the text as it came is ahead from there on. */
  readonly #escapedAt: number[] = [];
  readonly #shifts: number[] = [];
  #shift = 0;

  /** Characters that were read. */
  get end(): number {
    return this.#end;
  }

  /** Reads a chunk, and gives it out; an escape waits for its end. */
  add(chunk: string): string {
    const text = this.#rest + chunk;
    const parts: string[] = [];
    let copied = 0;
    let at = 0;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH && this.#inString) {
        const chars = escapeChars(text, at);
        if (chars === undefined) break;
        if (chars > 1) {
          parts.push(text.slice(copied, at), meaningOf(text, at));
          copied = at + chars;
          this.#noteEscape(this.#end + copied, chars);
        }
        at += chars;
        continue;
      }
      if (!this.#inString) this.#readOutside(code, this.#end + at);
      else if (code === QUOTE) this.#closeString(this.#end + at);
      at += 1;
    }
    this.#rest = text.slice(at);
    this.#end += at;
    if (copied === 0) return at === text.length ? text : text.slice(0, at);
    parts.push(text.slice(copied, at));
    return parts.join('');
  }

  /** Gives out the beginning of an escape that nothing followed, as it stands. */
  finish(): string {
    const rest = this.#rest;
    this.#rest = '';
    this.#end += rest.length;
    return rest;
  }

  /** Where in the text as it came that stands which was given out at `at`. */
  toOriginal(at: number): number {
    return at + (this.#shifts[lastUpTo(this.#escapedAt, at)] ?? 0);
  }

  /** The tokens of which a part stands between two offsets. */
  *tokensIn(start: number, end: number): Generator<Token, void> {
    for (let index = lastUpTo(this.#ends, start) + 1; index < this.#starts.length; index += 1) {
      if ((this.#starts[index] ?? end) >= end) return;
      yield this.#token(index);
    }
  }

  /** The token that begins before an offset, and ends there or behind it. */
  tokenAround(offset: number): Token | undefined {
    const index = lastUpTo(this.#starts, offset - 1);
    return index >= 0 && (this.#ends[index] ?? 0) >= offset ? this.#token(index) : undefined;
  }

  /** Forgets escapes before an offset in what was given out, and tokens before one in the text as it came. */
  forget(given: number, raw: number): void {
    dropFirst(lastUpTo(this.#escapedAt, given), [this.#escapedAt, this.#shifts]);
    dropFirst(lastUpTo(this.#ends, raw), [this.#kinds, this.#starts, this.#ends, this.#joins]);
  }

  #noteEscape(rawEnd: number, chars: number): void {
    this.#shift += chars - 1;
    this.#escapedAt.push(rawEnd - this.#shift);
    this.#shifts.push(this.#shift);
  }

  #closeString(offset: number): void {
    this.#ends[this.#ends.length - 1] = offset;
    this.#inString = false;
  }

  #readOutside(code: number, offset: number): void {
    const kind = code < 128 ? CLASSES[code] : 0;
    if (kind === BLANK || kind === STRUCTURE || code === QUOTE) {
      if (this.#inToken) this.#ends[this.#ends.length - 1] = offset;
      this.#inToken = false;
      if (kind !== BLANK) this.#afterToken = false;
      if (code === QUOTE) this.#open(STRING, offset + 1);
      this.#inString = code === QUOTE;
    } else if (!this.#inToken) {
      this.#open(kind === DIGIT ? NUMBER : OTHER, offset);
      this.#inToken = true;
      this.#afterToken = true;
    } else if ((kind !== DIGIT && kind !== EXPONENT) || this.#isLong(offset)) {
      this.#kinds[this.#kinds.length - 1] = OTHER;
    }
  }

  #isLong(offset: number): boolean {
    return offset - (this.#starts.at(-1) ?? offset) > MAX_NUMBER_CHARS;
  }

  #open(kind: number, start: number): void {
    this.#kinds.push(kind);
    this.#starts.push(start);
    this.#ends.push(Infinity);
    this.#joins.push(this.#afterToken);
  }

  #token(index: number): Token {
    const isLast = index === this.#starts.length - 1;
    return {
      kind: KINDS[this.#kinds[index] ?? OTHER] ?? 'other',
      start: this.#starts[index] ?? 0,
      end: this.#ends[index] ?? Infinity,
      joinsPrevious: this.#joins[index] ?? false,
      isJoined: isLast ? this.#afterToken && 'maybe' : (this.#joins[index + 1] ?? false),
    };
  }
}

/** Characters of the escape at an offset; 1 where the backslash begins none, undefined where more must come. */
function escapeChars(text: string, at: number): number | undefined {
  const kind = text[at + 1];
  if (kind === undefined) return undefined;
  if (kind !== 'u') return Object.hasOwn(MEANINGS, kind) ? 2 : 1;
  const digits = text.slice(at + 2, at + 6);
  if (!/^[0-9a-fA-F]*$/.test(digits)) return 1;
  return digits.length === 4 ? 6 : undefined;
}

function meaningOf(text: string, at: number): string {
  const kind = text.charAt(at + 1);
  if (kind === 'u') return String.fromCharCode(Number.parseInt(text.slice(at + 2, at + 6), 16));
  return MEANINGS[kind] ?? kind;
}

/** Takes so many from the front of each list, once it is worth moving what follows them. */
function dropFirst(count: number, lists: readonly unknown[][]): void {
  const [first = []] = lists;
  if (count < MANY || count * 2 < first.length) return;
  for (const list of lists) list.splice(0, count);
}
