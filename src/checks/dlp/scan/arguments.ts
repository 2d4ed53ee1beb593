import type { Finding, StreamDetector } from '../../../detectors/finding.ts';
import { MASK } from '../actions.ts';
import { ArgumentsLexer } from './arguments-lexer.ts';
import type { Token } from './arguments-lexer.ts';
import { Outlet } from './outlet.ts';
import type { Replacement } from './outlet.ts';
import type { Found } from '../passages.ts';
import { ScanWindow } from './scan-window.ts';
import type { ChannelScanner } from './scanner.ts';
import { tooMuchHeld } from './too-much-held.ts';
import { piecesOf } from './turns.ts';
import type { Work } from './turns.ts';

type Span = Pick<Finding, 'start' | 'end'>;

/** A tool call's arguments: a JSON document in a string, or what a model took for one. */
export interface ReadArguments {
  /** The document with the escapes of its strings read: to be searched. */
  readonly text: string;
  /**
   * The document with `***` in place of findings in `text`, valid JSON if it was: in strings their part of it, names
   * included; a whole number becomes the string `"***"`; brackets, commas and the like stay.
   */
  mask(findings: readonly Span[]): string;
}

/** Reads them piece by piece: structured output may be megabytes long. */
export function* readArguments(json: string): Work<ReadArguments> {
  const lexer = new ArgumentsLexer();
  const parts: string[] = [];
  for (const piece of piecesOf(json)) {
    parts.push(lexer.add(piece));
    yield piece.length;
  }
  parts.push(lexer.finish());
  return {
    text: parts.join(''),
    mask(findings) {
      const outlet = new Outlet();
      outlet.append(json);
      for (const finding of findings.toSorted((a, b) => a.start - b.start)) {
        const span = { start: lexer.toRaw(finding.start), end: lexer.toRaw(finding.end) };
        for (const one of replacementsOf(span, lexer, outlet)) outlet.replace(one);
      }
      return outlet.take(outlet.length);
    },
  };
}

/** More is never held for a good reason: what the detectors may keep open, each character written as an escape. */
const MAX_HELD_CHARS = 393_216;

/** A scanner of arguments that come in pieces; what it lets through is what `readArguments` masks of the whole. */
export function createArgumentsScanner(detector: StreamDetector): ChannelScanner {
  const lexer = new ArgumentsLexer();
  const window = new ScanWindow(detector);
  const outlet = new Outlet();
  /** Findings whose last token may still grow. */
  let waiting: Span[] = [];

  function note(found: readonly Found[]): readonly Found[] {
    for (const { finding } of found) {
      waiting.push({ start: lexer.toRaw(finding.start), end: lexer.toRaw(finding.end) });
    }
    return found;
  }

  function replaceUpTo(count: number): void {
    for (const span of waiting.slice(0, count)) {
      for (const one of replacementsOf(span, lexer, outlet)) outlet.replace(one);
    }
    waiting = waiting.slice(count);
  }

  function settle(): void {
    if (waiting.length > 0) {
      const open = waiting.findIndex((span) => mayGrow(lexer.tokenAround(span.end)));
      replaceUpTo(open < 0 ? waiting.length : open);
    }
    const [next] = waiting;
    const decided = lexer.toRaw(window.settled);
    outlet.settle(startOfNumber(next === undefined ? decided : Math.min(next.start, decided), lexer));
    lexer.forget(window.start, outlet.settled);
    if (outlet.length - outlet.settled > MAX_HELD_CHARS) throw tooMuchHeld();
  }

  return {
    outlet,
    get keptChars() {
      return window.size + outlet.length - outlet.sent;
    },
    get tail() {
      return window.tail;
    },
    push(text) {
      outlet.append(text);
      const found = note(window.add(lexer.add(text)));
      settle();
      return found;
    },
    finish() {
      const rest = lexer.finish();
      const found = note(rest === '' ? window.finish() : [...window.add(rest), ...window.finish()]);
      replaceUpTo(waiting.length);
      outlet.settleAll();
      return found;
    },
  };
}

/** What is put in place of a finding, token by token. Offsets are those of the text as it came. */
function replacementsOf(span: Span, lexer: ArgumentsLexer, outlet: Outlet): readonly Replacement[] {
  const replacements: Replacement[] = [];
  for (const token of lexer.tokensIn(span.start, span.end)) {
    const start = Math.max(span.start, token.start);
    const end = Math.min(span.end, token.end);
    if (start >= end) continue;
    const before = replacements.at(-1);
    if (isValue(token) && token.kind === 'number') {
      const whole = { start: token.start, end: Math.min(token.end, lexer.end) };
      replacements.push({ ...whole, text: JSON.stringify(MASK) });
    } else if (isValue(token) && isLiteral(outlet.peek(token.start, token.end))) {
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
