import { lastUpTo } from '../../text/ascending.ts';
import { CODES } from '../../json/codes.ts';

const { BACKSLASH, QUOTE } = CODES;

/** A part of a JSON text that can contain a finding. Offsets refer to the text as written. */
export interface Token {
  readonly kind:
    /** Excludes the quotes. */
    | 'string'
    | 'number'
    /** `true`, `false`, `null`, very long numbers, and anything that is not valid JSON. */
    | 'other';
  readonly start: number;
  /** Infinity until the end has been received. */
  readonly end: number;
  /** Whether only white space separates the token from a previous number or other token, which is not valid JSON. */
  readonly joinsPrevious: boolean;
  /** Whether only white space separates the token from the next one; `maybe` until more text is received. */
  readonly isJoined: boolean | 'maybe';
}

const STRING = 0;
const NUMBER = 1;
const OTHER = 2;
const KINDS = ['string', 'number', 'other'] as const;

/** Character classes outside strings; 0 for characters of other tokens. */
const WHITE_SPACE = 1;
const STRUCTURE = 2;
const DIGIT = 3;
const EXPONENT = 4;
const CLASSES = new Uint8Array(128);
for (const character of ' \t\r\n') CLASSES[character.charCodeAt(0)] = WHITE_SPACE;
for (const character of '{}[]:,') CLASSES[character.charCodeAt(0)] = STRUCTURE;
for (const character of '0123456789+-.') CLASSES[character.charCodeAt(0)] = DIGIT;
for (const character of 'eE') CLASSES[character.charCodeAt(0)] = EXPONENT;

/** Longer numbers are not card or phone numbers and need not be held back. */
const MAX_NUMBER_CHARS = 256;
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

/** Tokenizes JSON in arbitrary chunks and decodes string escapes. Leaves all else unchanged. Takes linear time. */
export class JsonLexer {
  #end = 0;
  #rest = '';
  #inString = false;
  #inToken = false;
  /** Whether only white space has followed a number or other token. */
  #afterToken = false;
  /** Token fields in parallel arrays, because a document may have a million tokens. */
  readonly #kinds: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #joins: boolean[] = [];
  /** Decoded offset of the end of each escape, and the shift from decoded to written offsets after the escape. */
  readonly #escapedAt: number[] = [];
  readonly #shifts: number[] = [];
  #shift = 0;

  get end(): number {
    return this.#end;
  }

  /** Returns the decoded chunk, without an incomplete escape at the end. */
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

  /** Ends the text. Returns an incomplete escape as written. */
  finish(): string {
    const rest = this.#rest;
    this.#rest = '';
    this.#end += rest.length;
    return rest;
  }

  toOriginal(at: number): number {
    return at + (this.#shifts[lastUpTo(this.#escapedAt, at)] ?? 0);
  }

  tokensIn(start: number, end: number): readonly Token[] {
    const tokens: Token[] = [];
    for (let index = lastUpTo(this.#ends, start) + 1; (this.#starts[index] ?? end) < end; index += 1) {
      tokens.push(this.#token(index));
    }
    return tokens;
  }

  /** Returns the token that begins before an offset and ends at or after it. */
  tokenAround(offset: number): Token | undefined {
    const index = lastUpTo(this.#starts, offset - 1);
    return index >= 0 && (this.#ends[index] ?? 0) >= offset ? this.#token(index) : undefined;
  }

  /** Forgets escapes before a decoded offset, and tokens before a written one. */
  forget(decoded: number, written: number): void {
    dropFirst(lastUpTo(this.#escapedAt, decoded), [this.#escapedAt, this.#shifts]);
    dropFirst(lastUpTo(this.#ends, written), [this.#kinds, this.#starts, this.#ends, this.#joins]);
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
    if (kind === WHITE_SPACE || kind === STRUCTURE || code === QUOTE) {
      if (this.#inToken) this.#ends[this.#ends.length - 1] = offset;
      this.#inToken = false;
      if (kind !== WHITE_SPACE) this.#afterToken = false;
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

/** Returns the length of an escape: 1 if the backslash does not begin one, undefined if the escape is incomplete. */
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

/** Drops the first entries of each list once there are enough to justify moving the rest. */
function dropFirst(count: number, lists: readonly unknown[][]): void {
  const [first = []] = lists;
  if (count < MANY || count * 2 < first.length) return;
  for (const list of lists) list.splice(0, count);
}
