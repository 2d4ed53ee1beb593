import type { Finding, StreamDetector } from '../../../detectors/finding.ts';
import { ArgumentsLexer } from './arguments-lexer.ts';
import { MaskedArguments } from './masked-arguments.ts';
import type { Found } from '../scan-batch.ts';
import { ScanWindow } from './scan-window.ts';
import type { ChannelScanner } from './scanner.ts';
import { bufferLimitExceeded } from './buffer-limit.ts';
import type { Work } from '../../../turns.ts';
import { piecesOf } from './pieces.ts';

/**
 * A tool call's arguments with the escapes of their strings read, to be searched: a JSON document in a string, or what a
 * model took for one. Structured output may be of megabytes: nothing is kept of the numbers and strings in it.
 */
export function* readArguments(json: string): Work<string> {
  const lexer = new ArgumentsLexer();
  const parts: string[] = [];
  let chars = 0;
  for (const piece of piecesOf(json)) {
    const part = lexer.add(piece);
    parts.push(part);
    chars += part.length;
    lexer.forget(chars, lexer.end);
    yield piece.length;
  }
  parts.push(lexer.finish());
  return parts.join('');
}

/** The arguments with `***` in place of findings in what was read of them, valid JSON if they were. */
export function* maskArguments(
  json: string,
  findings: readonly Pick<Finding, 'start' | 'end'>[],
): Work<string> {
  const masked = new MaskedArguments();
  const { buffer } = masked;
  const parts: string[] = [];
  const left = findings.toSorted((a, b) => a.start - b.start).values();
  let next = left.next().value;
  let chars = 0;
  for (const piece of piecesOf(json)) {
    chars += masked.add(piece).length;
    for (; next !== undefined && next.end <= chars; next = left.next().value) masked.replace(next);
    const decided = Math.min(chars, next?.start ?? Infinity);
    masked.settle(decided, decided);
    parts.push(buffer.take(buffer.settled));
    yield piece.length;
  }
  masked.finish();
  for (; next !== undefined; next = left.next().value) masked.replace(next);
  masked.settleAll();
  parts.push(buffer.take(buffer.length));
  return parts.join('');
}

/** More is never held for a good reason: what the detectors may keep open, each character written as an escape. */
const MAX_HELD_CHARS = 393_216;

/** A scanner of arguments that come in pieces; what it lets through is what `maskArguments` leaves of the whole. */
export function createArgumentsScanner(detector: StreamDetector): ChannelScanner {
  const masked = new MaskedArguments();
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
    push(text) {
      const found = note(window.add(masked.add(text)));
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
  };
}
