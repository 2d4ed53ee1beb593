/** A stretch of a JSON text that a finding may lie in. */
export interface Token {
  readonly kind:
    /** What stands between two quotes. */
    | 'string'
    /** A number, or the beginning of one. */
    | 'number'
    /** `true`, `null`, and whatever is no JSON. */
    | 'other';
  /** Offsets in the text as it came; Infinity where the end has not come. */
  readonly start: number;
  readonly end: number;
  /** Only blanks part it from the token before, so that neither is a value: the text is no JSON there. */
  readonly joinsPrevious: boolean;
  /** The next token may still join it. */
  readonly mayBeJoined: boolean;
}

const STRING = 0;
const NUMBER = 1;
const OTHER = 2;
const KINDS = ['string', 'number', 'other'] as const;

/** What becomes of a character outside of strings. */
const BLANK = 1;
const STRUCTURE = 2;
const DIGIT = 3;
/** Of a number, but not its beginning. */
const IN_NUMBER = 4;
const CLASSES = new Uint8Array(128);
for (const character of ' \t\r\n') CLASSES[character.charCodeAt(0)] = BLANK;
for (const character of '{}[]:,') CLASSES[character.charCodeAt(0)] = STRUCTURE;
for (const character of '0123456789+-.') CLASSES[character.charCodeAt(0)] = DIGIT;
for (const character of 'eE') CLASSES[character.charCodeAt(0)] = IN_NUMBER;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
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
 * Reads a JSON text that comes in pieces, however it is cut: the escapes of its strings are read, all else stays, so
 * that detectors see values as a program does, in their place. Takes what is no JSON as it stands. Linear.
 */
export class ArgumentsLexer {
  /** Of what was read, in the text as it came and in the one that was given out. */
  #rawEnd = 0;
  #viewEnd = 0;
  /** An escape that has not come to its end. */
  #rest = '';
  #inString = false;
  /** Outside of strings: in the middle of a token. */
  #inToken = false;
  /** Only blanks came since the last token outside of strings, or nothing. */
  #afterToken = false;
  /** Tokens, a list for each of their members: a document may have a million. */
  readonly #kinds: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #joins: boolean[] = [];
  /** Where in the view an escape ended, and how far the raw text is ahead from there on. */
  readonly #viewAt: number[] = [];
  readonly #shifts: number[] = [];

  /** Reads a piece; gives it out with its escapes read. What an escape still lacks is waited for. */
  add(piece: string): string {
    const text = this.#rest === '' ? piece : this.#rest + piece;
    const from = this.#rawEnd;
    const parts: string[] = [];
    let copied = 0;
    let at = 0;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (!this.#inString) {
        this.#readOutside(code, from + at);
        at += 1;
      } else if (code === QUOTE) {
        this.#ends[this.#ends.length - 1] = from + at;
        this.#inString = false;
        at += 1;
      } else if (code === BACKSLASH) {
        const chars = escapeChars(text, at);
        if (chars === undefined) break;
        if (chars > 1) {
          parts.push(text.slice(copied, at), meaningOf(text, at));
          copied = at + chars;
          this.#noteEscape(from + copied, chars - 1);
        }
        at += chars;
      } else at += 1;
    }
    this.#rest = text.slice(at);
    this.#rawEnd = from + at;
    if (parts.length === 0 && at === text.length) return this.#given(text);
    parts.push(text.slice(copied, at));
    return this.#given(parts.join(''));
  }

  /** Gives out the beginning of an escape that nothing followed, as it stands. */
  finish(): string {
    const rest = this.#rest;
    this.#rest = '';
    this.#rawEnd += rest.length;
    return this.#given(rest);
  }

  /** Where in the text as it came the character stands that was given out at `at`. */
  toRaw(at: number): number {
    const index = lastAtOrBefore(this.#viewAt, at);
    return index < 0 ? at : at + (this.#shifts[index] ?? 0);
  }

  /** The tokens of which a part stands between two offsets of the text as it came. */
  *tokensIn(start: number, end: number): Generator<Token, void> {
    for (let index = this.#firstEndingAfter(start); index < this.#starts.length; index += 1) {
      const token = this.#token(index);
      if (token.start >= end) return;
      yield token;
    }
  }

  /** The token that begins before an offset and reaches to it or beyond. */
  tokenAround(offset: number): Token | undefined {
    const index = lastAtOrBefore(this.#starts, offset - 1);
    const token = index < 0 ? undefined : this.#token(index);
    return token !== undefined && token.end >= offset ? token : undefined;
  }

  /** Forgets what stands before an offset that was given out, and is not asked for again. */
  forget(viewOffset: number): void {
    const escapes = lastAtOrBefore(this.#viewAt, viewOffset);
    if (escapes > MANY) for (const list of [this.#viewAt, this.#shifts]) list.splice(0, escapes);
    const tokens = this.#firstEndingAfter(this.toRaw(viewOffset)) - 1;
    if (tokens > MANY) {
      for (const list of [this.#kinds, this.#starts, this.#ends, this.#joins]) list.splice(0, tokens);
    }
  }

  #given(view: string): string {
    this.#viewEnd += view.length;
    return view;
  }

  #readOutside(code: number, offset: number): void {
    const kind = code < 128 ? CLASSES[code] : undefined;
    if (code === QUOTE || kind === STRUCTURE || kind === BLANK) {
      if (this.#inToken) this.#ends[this.#ends.length - 1] = offset;
      this.#inToken = false;
      if (kind === BLANK) return;
      this.#afterToken = false;
      if (code !== QUOTE) return;
      this.#open(STRING, offset + 1, false);
      this.#inString = true;
    } else if (!this.#inToken) {
      this.#open(kind === DIGIT ? NUMBER : OTHER, offset, this.#afterToken);
      this.#inToken = true;
      this.#afterToken = true;
    } else if (kind !== DIGIT && kind !== IN_NUMBER) this.#kinds[this.#kinds.length - 1] = OTHER;
  }

  #open(kind: number, start: number, joins: boolean): void {
    this.#kinds.push(kind);
    this.#starts.push(start);
    this.#ends.push(Infinity);
    this.#joins.push(joins);
  }
}
