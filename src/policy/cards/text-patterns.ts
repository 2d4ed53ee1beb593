import { RE2JS } from 're2js';
import type { Detector, FindingClass } from '../../detectors/finding.ts';
import { DENY_SCORE, learnedInjection } from '../../detectors/learned/injection.ts';
import { isOneSlice, slicesOf, type Slice } from '../../detectors/slices.ts';
import type { Span } from '../../text/span.ts';
import { runNow, type Work } from '../../turns.ts';
import { findNamed } from '../named-detectors.ts';
import type { TextPattern } from './mask-rule.ts';

export interface FoundSpan extends Span {
  readonly rule?: string;
  readonly class?: FindingClass;
  readonly score?: number;
}

/** Searches a text for one pattern: immediately for literals and in short texts, otherwise in turns. */
export type TextSearch = (text: string) => FoundSpan | undefined | SlicedSearch;

type SlicedSearch = Work<FoundSpan | undefined>;

export function* searchInTurns(search: TextSearch, text: string): SlicedSearch {
  yield text.length;
  const found = search(text);
  return isWork(found) ? yield* found : found;
}

export function searchNow(search: TextSearch, text: string): FoundSpan | undefined {
  const found = search(text);
  return isWork(found) ? runNow(found) : found;
}

function isWork(found: ReturnType<TextSearch>): found is SlicedSearch {
  return found !== undefined && 'next' in found;
}

/** @throws Error if a regular expression is invalid */
export function searchFor(pattern: TextPattern): TextSearch {
  if (pattern.kind === 'contains') return searchLiteral(pattern.text);
  return pattern.kind === 'regex' ? searchRegex(compileRegex(pattern.source)) : searchFound(pattern);
}

function searchFound({ detector, threshold = DENY_SCORE }: TextPattern & { kind: 'detects' }): TextSearch {
  // The model judges whole slices, so their boundaries do not matter.
  return detector === 'injection_learned'
    ? searchDetector(learnedInjection(threshold), () => true)
    : searchDetector(findNamed(detector));
}

/**
 * Compiles RE2 syntax, or JavaScript syntax that has an equivalent in RE2. Matching always takes linear time.
 * @throws Error with the problem
 */
export function compileRegex(source: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(source));
}

function searchLiteral(literal: string): TextSearch {
  return (text) => {
    const start = text.indexOf(literal);
    return start === -1 ? undefined : { start, end: start + literal.length };
  };
}

function searchDetector(find: Detector, judges?: Slice['judges']): TextSearch {
  return (text) =>
    isOneSlice(text)
      ? spanOf(find(text)[0], 0)
      : searchSlices(slicesOf(text), (slice) =>
          find(text.slice(slice.start, slice.end)).find(judges ?? slice.judges),
        );
}

function* searchSlices<Part extends Span>(
  slices: readonly Part[],
  findIn: (slice: Part) => FoundSpan | undefined,
): SlicedSearch {
  for (const [index, slice] of slices.entries()) {
    if (index > 0) yield;
    const found = findIn(slice);
    if (found !== undefined) return spanOf(found, slice.start);
  }
  return undefined;
}

function spanOf(found: FoundSpan | undefined, offset: number): FoundSpan | undefined {
  return found && { ...found, start: found.start + offset, end: found.end + offset };
}

/** UTF-16 code units per search. Longer texts are searched in overlapping pieces. */
const PIECE = 262_144;
const OVERLAP = 32_768;
/** Matches this close to the start of a piece may be artifacts. The previous piece contains the real ones. */
const MARGIN = 512;

function searchRegex(regex: RE2JS): TextSearch {
  return (text) =>
    text.length <= PIECE
      ? firstMatch(regex, text, 0)
      : searchSlices(piecesOf(text), ({ start, end }) =>
          firstMatch(regex, text.slice(start, end), start === 0 ? 0 : MARGIN),
        );
}

function piecesOf(text: string): readonly Span[] {
  const step = PIECE - OVERLAP;
  const count = Math.ceil(text.length / step);
  return Array.from({ length: count }, (_, index) => ({ start: index * step, end: index * step + PIECE }));
}

function firstMatch(regex: RE2JS, text: string, from: number): Span | undefined {
  // A test is ten times faster than a search, and most texts do not match.
  if (!regex.test(text)) return undefined;
  const matcher = regex.matcher(text);
  return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined;
}
