import { MASK } from '../../text/mask.ts';
import type { StreamDetector } from '../../detectors/finding.ts';
import { JsonLexer, type Token } from './json-lexer.ts';
import type { Found } from '../inspected.ts';
import { ScanWindow, chunksOf, type ChannelScanner } from './text-scanner.ts';
import { bufferLimitExceeded, MaskingBuffer } from './masking-buffer.ts';
import type { Work } from '../../turns.ts';
import type { Replacement } from '../../text/replace-spans.ts';
import type { Span } from '../../text/span.ts';
import type { TextDelta } from '../../providers/provider.ts';

/**
 * Whether what a model says may be a JSON document (structured output), which is to stay one: it is read as arguments
 * are. Where it turns out to be prose, that reads it just as well.
 */
export function beginsDocument({ kind, text }: Pick<TextDelta, 'kind' | 'text'>): boolean {
  return kind === 'text' && /^\s*[[{]/.test(text);
}

/**
 * A JSON text (a tool call's arguments, structured output, or what a model took for one) with the escapes of its strings
 * read, to be searched. It may be of megabytes: nothing is kept of the numbers and strings in it.
 */
export function* readJsonText(json: string): Work<string> {
  const lexer = new JsonLexer();
  const parts: string[] = [];
  let chars = 0;
  for (const chunk of chunksOf(json)) {
    const part = lexer.add(chunk);
    parts.push(part);
    chars += part.length;
    lexer.forget(chars, lexer.end);
    yield chunk.length;
  }
  parts.push(lexer.finish());
  return parts.join('');
}

/** A JSON text with `***` in place of findings in what was read of it; what was valid stays so. */
export function* maskJsonText(json: string, findings: readonly Span[]): Work<string> {
  const masked = new JsonMasker();
  const { buffer } = masked;
  const parts: string[] = [];
  const left = findings.toSorted((a, b) => a.start - b.start).values();
  let next = left.next().value;
  let chars = 0;
  for (const chunk of chunksOf(json)) {
    chars += masked.add(chunk).length;
    for (; next !== undefined && next.end <= chars; next = left.next().value) masked.replace(next);
    const decided = Math.min(chars, next?.start ?? Infinity);
    masked.settle(decided, decided);
    parts.push(buffer.take(buffer.settled));
    yield chunk.length;
  }
  masked.finish();
  for (; next !== undefined; next = left.next().value) masked.replace(next);
  masked.settleAll();
  parts.push(buffer.take(buffer.length));
  return parts.join('');
}

/** More is never held for a good reason: what the detectors may keep open, each character written as an escape. */
const MAX_HELD_CHARS = 393_216;

/** A scanner of a JSON text that comes in chunks; what it lets through is what `maskJsonText` leaves of the whole. */
export function createJsonScanner(detector: StreamDetector): ChannelScanner {
  const masked = new JsonMasker();
  const window = new ScanWindow(detector);
  const { buffer } = masked;

  function note(found: readonly Found[]): readonly Found[] {
    for (const { finding } of found) masked.replace(finding);
    return found;
  }

  return {
    buffer,
    get keptChars() {
      return window.size + buffer.length - buffer.sent;
    },
    get tail() {
      return window.tail;
    },
    push(chunk) {
      const found = note(window.add(masked.add(chunk)));
      masked.settle(window.settled, window.start);
      if (buffer.length - buffer.settled > MAX_HELD_CHARS) throw bufferLimitExceeded();
      return found;
    },
    finish() {
      const rest = masked.finish();
      const found = note(rest === '' ? window.finish() : [...window.add(rest), ...window.finish()]);
      masked.settleAll();
      return found;
    },
    releasePlainWords: () => false,
  };
}

/**
 * A JSON text on its way out, with `***` in place of what is found in them, however they are cut: in strings a finding's
 * part of it, names included; a whole number becomes the string `"***"`; brackets, commas and the like stay. Keeps what
 * has not left. Offsets are those of the text that it gives out, in which the escapes of strings are read.
 */
class JsonMasker {
  /** The text as it is written. */
  readonly buffer = new MaskingBuffer();
  readonly #lexer = new JsonLexer();
  /** Findings whose last token may still grow, as they are written. */
  #waiting: Span[] = [];

  /** Adds a chunk; gives out what is to be searched of it. */
  add(chunk: string): string {
    this.buffer.append(chunk);
    return this.#lexer.add(chunk);
  }

  /** Gives out the rest of it, where nothing more comes. */
  finish(): string {
    return this.#lexer.finish();
  }

  /** In order of `start`, each once it was given out to its end. */
  replace({ start, end }: Span): void {
    this.#waiting.push({ start: this.#lexer.toOriginal(start), end: this.#lexer.toOriginal(end) });
  }

  /**
   * Lets everything leave before an offset behind which findings are still to come, `from` one at which they may begin.
   */
  settle(decided: number, from: number): void {
    const lexer = this.#lexer;
    if (this.#waiting.length > 0) {
      const open = this.#waiting.findIndex((span) => mayGrow(lexer.tokenAround(span.end)));
      this.#replaceUpTo(open < 0 ? this.#waiting.length : open);
    }
    const [next] = this.#waiting;
    const to = Math.min(next?.start ?? Infinity, lexer.toOriginal(decided));
    this.buffer.settle(startOfNumber(to, lexer));
    lexer.forget(from, this.buffer.settled);
  }

  /** Lets everything leave: all that was found has been replaced. */
  settleAll(): void {
    this.#replaceUpTo(this.#waiting.length);
    this.buffer.settleAll();
  }

  #replaceUpTo(count: number): void {
    for (const span of this.#waiting.slice(0, count)) {
      for (const one of replacementsOf(span, this.#lexer, this.buffer)) this.buffer.replace(one);
    }
    this.#waiting = this.#waiting.slice(count);
  }
}

/** What is put in place of a finding, token by token. Offsets are those of the text as it came. */
function replacementsOf(span: Span, lexer: JsonLexer, buffer: MaskingBuffer): readonly Replacement[] {
  const replacements: Replacement[] = [];
  for (const token of lexer.tokensIn(span.start, span.end)) {
    const start = Math.max(span.start, token.start);
    const end = Math.min(span.end, token.end);
    if (start >= end) continue;
    const before = replacements.at(-1);
    if (isValue(token) && token.kind === 'number') {
      const whole = { start: token.start, end: Math.min(token.end, lexer.end) };
      replacements.push({ ...whole, text: JSON.stringify(MASK) });
    } else if (isValue(token) && isLiteral(buffer.peek(token.start, token.end))) {
      continue;
    } else if (token.joinsPrevious && before !== undefined) {
      replacements[replacements.length - 1] = { ...before, end };
    } else replacements.push({ start, end, text: MASK });
  }
  return replacements;
}

/** Whether a token outside of strings stands where JSON has a value. */
function isValue({ kind, joinsPrevious, isJoined }: Token): boolean {
  return kind !== 'string' && !joinsPrevious && isJoined !== true;
}

function isLiteral(word: string): boolean {
  return word === 'true' || word === 'false' || word === 'null';
}

/** A number is replaced as a whole: its end must have come, and that it is one. */
function mayGrow(token: Token | undefined): boolean {
  return token?.kind === 'number' && (token.end === Infinity || token.isJoined === 'maybe');
}

/** The offset, or the start of the number in which it stands: none leaves in parts. */
function startOfNumber(offset: number, lexer: JsonLexer): number {
  const token = lexer.tokenAround(offset);
  if (token?.kind !== 'number') return offset;
  return token.end === Infinity || token.end > offset ? token.start : offset;
}
