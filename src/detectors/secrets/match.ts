import { isPublishedSample } from './published-samples.ts';
import { entropyOf, isPlaceholder } from './randomness.ts';
import { isLetterOrDigit, startsToken } from './places.ts';
import { undecidedFrom, type Extent, type LongRun, type SecretRule } from './rule.ts';
import type { Span } from '../../text/span.ts';
import { stickyEnd } from '../../text/sticky.ts';

export interface Match {
  readonly rule: number;
  /** Start of the secret's name, or `start` if the secret has none. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
  /** Whether the match spans digits that decode to the secret. */
  readonly isEncoded: boolean;
}

export interface Matches {
  readonly text: string;
  readonly found: Match[];
  /** Offset from which more text could change the matches; undefined if not requested. */
  openFrom: number | undefined;
  /** Last long run of each rule, because many secrets may begin in one run. */
  runs: Map<number, Span> | undefined;
}

/** `index` is the index of the rule in `secretRules`. */
export interface Keyword {
  readonly text: string;
  readonly rule: SecretRule;
  readonly index: number;
}

export function noteOpen(matches: Matches, at: number): void {
  if (matches.openFrom !== undefined && at < matches.openFrom) matches.openFrom = at;
}

/**
 * Runs the rule's pattern at `at` for the keyword at `from`. Records a match, and the offset from which more text could
 * change the match.
 */
export function matchAt(matches: Matches, keyword: Keyword, from: number, at: number): void {
  const { text } = matches;
  const { rule, index } = keyword;
  if (rule.mayBegin?.(text, at) === false) return;
  const found = secretAt(matches, keyword, at);
  if (matches.openFrom !== undefined && text.length - at <= rule.maxChars) {
    const open = found?.isOpen === true ? found.start : undecidedFrom(rule, text, at);
    if (open !== undefined) noteOpen(matches, Math.min(open, found?.start ?? open));
  }
  if (found?.end === undefined) return;
  matches.found.push({
    rule: index,
    from: Math.min(from, found.start),
    start: found.start,
    end: found.end,
    isEncoded: false,
  });
}

interface Found extends Extent {
  readonly start: number;
}

function secretAt(matches: Matches, keyword: Keyword, at: number): Found | undefined {
  const { rule } = keyword;
  const { text } = matches;
  rule.pattern.lastIndex = at;
  const result = rule.pattern.exec(text);
  if (result === null) return undefined;
  const matchEnd = at + result[0].length;
  const start = matchEnd - (result[1] ?? result[0]).length;
  const end = rule.run === undefined ? matchEnd : endOfRun(matches, keyword, rule.run, start, matchEnd);
  const isOpen = rule.run !== undefined && end === text.length && end < start + rule.run.maxChars;
  const secret = text.slice(start, end);
  const body = rule.anchor === 'head' && start === at ? secret.slice(keyword.text.length) : secret;
  const isFit = isPlausible(rule, secret, body) && fitsBeside(rule, text, { start, end }, body);
  if (!isFit) return isOpen ? { start, end: undefined, isOpen } : undefined;
  const extent = isOpen ? undefined : rule.extend?.(text, start, end);
  return { start, end, isOpen, ...extent };
}

function endOfRun(
  matches: Matches,
  { index }: Keyword,
  { characters, maxChars }: LongRun,
  start: number,
  matchEnd: number,
): number {
  const { text } = matches;
  const limit = start + maxChars;
  let end = Math.min(limit, endOfCharacters(matches, index, characters, matchEnd));
  for (let pad = 0; pad < 2 && end < limit && text.charCodeAt(end) === EQUALS; pad += 1) end += 1;
  return end;
}

const EQUALS = 61;

/** Scans each run only once, even if many secrets begin in the run. */
function endOfCharacters(matches: Matches, index: number, characters: RegExp, start: number): number {
  const known = matches.runs?.get(index);
  if (known !== undefined && start >= known.start && start <= known.end) return known.end;
  const end = stickyEnd(characters, matches.text, start) ?? start;
  matches.runs ??= new Map();
  matches.runs.set(index, { start, end });
  return end;
}

function fitsBeside(rule: SecretRule, text: string, { start, end }: Span, body: string): boolean {
  const { followsWord, precedesWord } = rule;
  if (followsWord !== undefined && !startsToken(text, start) && !followsWord(body)) return false;
  return precedesWord === undefined || !isLetterOrDigit(text.charCodeAt(end)) || precedesWord(body);
}

/** @param body the secret without its prefix */
function isPlausible(rule: SecretRule, secret: string, body: string): boolean {
  if (rule.minEntropy > 0 && entropyOf(body) < rule.minEntropy) return false;
  return !isPlaceholder(secret) && rule.accepts?.(secret) !== false && !isPublishedSample(secret);
}
