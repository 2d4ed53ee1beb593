import { MASK } from '../../text/mask.ts';
import type { StreamDetector } from '../../detectors/finding.ts';
import { JsonLexer, type Token } from './json-lexer.ts';
import type { Found } from '../inspected.ts';
import { ScanWindow, chunksOf, type ChannelScanner } from './text-scanner.ts';
import { bufferLimitExceeded, MaskingBuffer } from './masking-buffer.ts';
import type { Work } from '../../turns.ts';
import type { Replacement } from '../../text/replace-spans.ts';
import type { Span } from '../../text/span.ts';
import type { TextDelta } from '../../providers/dialect.ts';

/** Reports whether model text may be structured output, which must stay valid. Scanning prose as JSON does no harm. */
export function beginsDocument({ kind, text }: Pick<TextDelta, 'kind' | 'text'>): boolean {
  return kind === 'text' && /^\s*[[{]/.test(text);
}

/** Decodes the escapes in a JSON text for a search. Keeps no tokens, because the text may be megabytes long. */
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

/** Masks findings, given by decoded offsets, in a JSON text. Valid JSON stays valid. */
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

/** Longest text that detectors keep open, with every character escaped (`\u0041`). */
const MAX_HELD_CHARS = 393_216;

/** Creates a scanner for JSON text in chunks. The output equals that of `maskJsonText`. */
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
 * Masks JSON text in arbitrary chunks. Findings in strings and names become `***`, numbers with findings become the
 * string `"***"`, and the structure is kept. Stores only unsent text. Offsets refer to the decoded text.
 */
class JsonMasker {
  readonly buffer = new MaskingBuffer();
  readonly #lexer = new JsonLexer();
  /** Findings not yet applied, by written offsets, because their last token may still grow. */
  #waiting: Span[] = [];

  add(chunk: string): string {
    this.buffer.append(chunk);
    return this.#lexer.add(chunk);
  }

  finish(): string {
    return this.#lexer.finish();
  }

  /** Must be called in order of `start`, after `add` has returned the text of the span. */
  replace({ start, end }: Span): void {
    this.#waiting.push({ start: this.#lexer.toOriginal(start), end: this.#lexer.toOriginal(end) });
  }

  /** Releases text before `decided`. Later findings end after `decided` and do not begin before `from`. */
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

  /** Must be called after the last finding. */
  settleAll(): void {
    this.#replaceUpTo(this.#waiting.length);
    this.buffer.settleAll();
  }

  #replaceUpTo(count: number): void {
    for (const span of this.#waiting.slice(0, count)) {
      for (const replacement of replacementsOf(span, this.#lexer, this.buffer))
        this.buffer.replace(replacement);
    }
    this.#waiting = this.#waiting.slice(count);
  }
}

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

function isValue({ kind, joinsPrevious, isJoined }: Token): boolean {
  return kind !== 'string' && !joinsPrevious && isJoined !== true;
}

function isLiteral(word: string): boolean {
  return word === 'true' || word === 'false' || word === 'null';
}

/** Reports whether a number may still grow. Numbers are replaced as a whole, so their kind and end must be known. */
function mayGrow(token: Token | undefined): boolean {
  return token?.kind === 'number' && (token.end === Infinity || token.isJoined === 'maybe');
}

/** Returns the start of a number that contains `offset`, because numbers are sent whole, or else `offset`. */
function startOfNumber(offset: number, lexer: JsonLexer): number {
  const token = lexer.tokenAround(offset);
  if (token?.kind !== 'number') return offset;
  return token.end === Infinity || token.end > offset ? token.start : offset;
}
