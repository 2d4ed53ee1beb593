import type { Finding } from '../../../detectors/finding.ts';
import { MASK } from '../actions.ts';
import { ArgumentsLexer } from './arguments-lexer.ts';
import type { Token } from './arguments-lexer.ts';
import { MaskingBuffer } from './masking-buffer.ts';
import type { Replacement } from './masking-buffer.ts';

type Span = Pick<Finding, 'start' | 'end'>;

/**
 * Arguments on their way out, with `***` in place of what is found in them, however they are cut: in strings a finding's
 * part of it, names included; a whole number becomes the string `"***"`; brackets, commas and the like stay. Keeps what
 * has not left. Offsets are those of the text that it gives out, in which the escapes of strings are read.
 */
export class MaskedArguments {
  /** The arguments as they are written. */
  readonly buffer = new MaskingBuffer();
  readonly #lexer = new ArgumentsLexer();
  /** Findings whose last token may still grow, as they are written. */
  #waiting: Span[] = [];

  /** Adds a piece; gives out what is to be searched of it. */
  add(piece: string): string {
    this.buffer.append(piece);
    return this.#lexer.add(piece);
  }

  /** Gives out the rest of it, where nothing more comes. */
  finish(): string {
    return this.#lexer.finish();
  }

  /** In order of `start`, each once it was given out to its end. */
  replace({ start, end }: Span): void {
    this.#waiting.push({ start: this.#lexer.toRaw(start), end: this.#lexer.toRaw(end) });
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
    const to = Math.min(next?.start ?? Infinity, lexer.toRaw(decided));
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
function replacementsOf(span: Span, lexer: ArgumentsLexer, buffer: MaskingBuffer): readonly Replacement[] {
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
function startOfNumber(offset: number, lexer: ArgumentsLexer): number {
  const token = lexer.tokenAround(offset);
  if (token?.kind !== 'number') return offset;
  return token.end === Infinity || token.end > offset ? token.start : offset;
}
