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

/**
 * Reports whether a model's text may be a JSON document (structured output), which must remain valid. Reading it like
 * arguments is also correct for prose.
 */
export function beginsDocument({ kind, text }: Pick<TextDelta, 'kind' | 'text'>): boolean {
  return kind === 'text' && /^\s*[[{]/.test(text);
}

/** Decodes the escapes of a JSON text for a search. Keeps no tokens: the text may have megabytes. */
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

/** Masks the findings in a JSON text, given by decoded offsets. Valid JSON remains valid. */
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

/** Longest text that detectors keep open, with each character escaped. */
const MAX_HELD_CHARS = 393_216;

/** Creates a scanner of a JSON text in chunks. Its output equals that of `maskJsonText`. */
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
 * Masks a JSON text in arbitrary chunks: findings in strings and names become `***`, numbers become the string `"***"`,
 * and the structure is kept. Stores only unsent text. Offsets refer to the decoded text.
 */
class JsonMasker {
  readonly buffer = new MaskingBuffer();
  readonly #lexer = new JsonLexer();
  /** Findings whose last token may still grow, by written offsets. */
  #waiting: Span[] = [];

  add(chunk: string): string {
    this.buffer.append(chunk);
    return this.#lexer.add(chunk);
  }

  finish(): string {
    return this.#lexer.finish();
  }

  /** Must be called in order of `start`, after the text of the span was returned. */
  replace({ start, end }: Span): void {
    this.#waiting.push({ start: this.#lexer.toOriginal(start), end: this.#lexer.toOriginal(end) });
  }

  /** Releases text before `decided`. Findings may still end after it, but none begins before `from`. */
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

  /** Releases all text. Must be called after the last finding. */
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

/** Reports whether a token may still grow. A number is replaced as a whole: its kind and end must be known. */
function mayGrow(token: Token | undefined): boolean {
  return token?.kind === 'number' && (token.end === Infinity || token.isJoined === 'maybe');
}

/** Returns the offset, or the start of the number around it: numbers are sent whole. */
function startOfNumber(offset: number, lexer: JsonLexer): number {
  const token = lexer.tokenAround(offset);
  if (token?.kind !== 'number') return offset;
  return token.end === Infinity || token.end > offset ? token.start : offset;
}
