import type { Span } from '../../text/span.ts';
import type { Work } from '../../turns.ts';
import { Automaton, MAX_PATTERN } from './automaton.ts';
import { decodeEscapes, encodedTexts } from './decode.ts';
import { literalAt } from './judge.ts';
import { Letters, mayHoldSigns } from './letters.ts';
import { literalsOf, type Literal } from './literal.ts';

/** A match, with its span in the given text. */
export interface FoundLiteral extends Span {
  /** Index in the array passed to `createLiteralFinder`. */
  readonly literal: number;
}

export interface LiteralFinder {
  /** Calls `onFound` for each match and stops when it returns true. Yields between slices. */
  search(text: string, onFound: OnFound): Work<void>;
}

type OnFound = (found: FoundLiteral) => boolean;
type ToOriginal = (span: Span) => Span;

const SLICE = 16_384;
/** Slice overlap, in addition to the longest literal with each letter escaped. */
const OVERLAP = 2_048;
const ESCAPED_CHARS = 6;
const MAX_DEPTH = 4;
/** Shorter literals occur by chance in readable parts of decoded binary data. */
const MIN_IN_RUN = 6;

/**
 * Creates a finder for literals, plain or obfuscated (docs/normalization.md): with lookalikes, accents, separators,
 * digits for letters, escapes, Base64, hexadecimal digits, ROT13 or reversed text. Finds all literals in one pass.
 */
export function createLiteralFinder(literals: readonly string[]): LiteralFinder {
  const all = literals.flatMap((literal, id) => literalsOf(id, literal));
  const groups = groupedByPattern(all.filter(({ folds }) => folds.length > 0));
  const automaton = new Automaton(groups.map(({ folds }) => folds));
  const signLiterals = all.filter(({ folds, reading }) => folds.length === 0 && reading === 'obfuscated');
  const longest = Math.max(0, ...literals.map(({ length }) => length));
  const overlap = OVERLAP + longest * ESCAPED_CHARS;
  const letters = new Letters();

  function* search(text: string, onFound: OnFound): Work<void> {
    const step = Math.max(SLICE, overlap);
    for (let start = 0; start === 0 || start + overlap < text.length; start += step) {
      const end = start + step + overlap;
      yield Math.min(text.length, end) - start;
      const from = wholeStart(text, start);
      const slice = text.length <= end ? text.slice(from) : text.slice(from, end);
      const toOriginal: ToOriginal = (span) => ({ start: span.start + from, end: span.end + from });
      if (read({ text: slice, depth: 0, isDecoded: false, toOriginal, minLetters: 1, onFound })) return;
    }
  }

  /** Returns true if `onFound` ended the search. */
  function read(reading: Reading): boolean {
    const { text, depth, minLetters } = reading;
    if (scan(reading, false)) return true;
    if (minLetters > 1) return false;
    if (mayHoldSigns(text) && scan(reading, true)) return true;
    if (depth === MAX_DEPTH) return false;
    const decoded = decodeEscapes(text);
    if (decoded !== undefined && read(below(reading, decoded.text, decoded.toOriginal))) return true;
    for (const block of encodedTexts(text)) {
      const minimum = block.isWhole ? 1 : MIN_IN_RUN;
      if (read({ ...below(reading, block.text, () => block), isDecoded: true, minLetters: minimum }))
        return true;
    }
    return false;
  }

  function scan({ text, isDecoded, toOriginal, minLetters, onFound }: Reading, readsSigns: boolean): boolean {
    letters.read(text, readsSigns);
    let isOver = false;
    const report = (literal: number, span: Span): boolean => onFound({ literal, ...toOriginal(span) });
    automaton.search(letters.folds, letters.count, (pattern, last) => {
      const first = last - automaton.lengthOf(pattern) + 1;
      for (const literal of groups[pattern]?.literals ?? []) {
        if (literal.folds.length < minLetters) continue;
        const span = literalAt(literal, letters, first, isDecoded);
        if (span !== undefined && report(literal.id, span)) isOver = true;
      }
      return isOver;
    });
    if (isOver || readsSigns) return isOver;
    for (const { id, raw } of signLiterals) {
      for (let at = text.indexOf(raw); at !== -1; at = text.indexOf(raw, at + raw.length)) {
        if (report(id, { start: at, end: at + raw.length })) return true;
      }
    }
    return false;
  }

  return { search };
}

interface Reading {
  readonly text: string;
  readonly depth: number;
  readonly isDecoded: boolean;
  readonly toOriginal: ToOriginal;
  readonly minLetters: number;
  readonly onFound: OnFound;
}

function below(above: Reading, text: string, toGiven: ToOriginal): Reading {
  return {
    ...above,
    text,
    depth: above.depth + 1,
    toOriginal: (span) => above.toOriginal(toGiven(span)),
  };
}

interface Group {
  readonly folds: readonly number[];
  readonly literals: readonly Literal[];
}

function groupedByPattern(literals: readonly Literal[]): readonly Group[] {
  const groups = Map.groupBy(literals, ({ folds }) => folds.slice(0, MAX_PATTERN).join());
  return [...groups.values()].map((group) => ({ folds: group[0]?.folds ?? [], literals: group }));
}

/** Moves an offset inside a surrogate pair to the start of the pair. */
function wholeStart(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return at > 0 && unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}
