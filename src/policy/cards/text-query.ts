import type { DetectorName } from '../../detectors/finding.ts';
import { findsNothingInSlices, noteNothingInSlices } from '../../detectors/found-nothing.ts';
import type { CleanRecord } from '../../clean-texts.ts';
import type { CallText } from '../call.ts';
import { findsInjection, type RuleTrust } from '../trust.ts';
import type { TextPattern } from './mask-rule.ts';
import type { FoundSpan, TextSearch } from './text-patterns.ts';

export interface TextMatch extends FoundSpan {
  /** The text that contains the match, as received or normalized. */
  readonly text: string;
  /** The text as received, if the searched text was derived from it. */
  readonly sent?: string;
}

/** A search in a call's texts. Equal queries are merged. */
export interface TextQuery {
  readonly pattern: TextPattern;
  /** Path below `arguments`; undefined for all texts. */
  readonly argument: readonly string[] | undefined;
  /** The rule's trust settings, if the pattern looks for injections. */
  readonly trust?: RuleTrust | undefined;
}

export interface Query extends TextQuery {
  /** Same key for equal patterns. */
  readonly patternKey: string;
  readonly search: TextSearch;
  /** Number among the words that are searched together; undefined for other patterns. */
  readonly word: number | undefined;
}

export function looksForInjection(pattern: TextPattern): boolean {
  return pattern.kind === 'detects' && findsInjection(pattern.detector);
}

export function isJudgedByModel(pattern: TextPattern): boolean {
  return pattern.kind === 'detects' && pattern.detector === 'injection_learned';
}

/** Data is searched for everywhere, other patterns only in texts that models read. */
export function findsData({ pattern }: Query): boolean {
  return pattern.kind === 'detects' && DATA_DETECTORS.has(pattern.detector);
}

/** Path climbs are judged as written, because resolving would turn code that contains one into a path. */
export function isQueryFor({ pattern }: Query, { isResolved }: CallText): boolean {
  return isResolved !== true || pattern.kind !== 'detects' || pattern.detector !== 'path_climb';
}

const DATA_DETECTORS: ReadonlySet<DetectorName> = new Set([
  'card',
  'credentials',
  'cvv',
  'email',
  'iban',
  'network',
  'phone',
  'secrets',
  'seed_phrase',
  'ssn',
  'wallet_key',
]);

/** Results of a detector are shared with other rules, unless the rule has its own threshold. */
function isShared(pattern: TextPattern): pattern is TextPattern & { kind: 'detects' } {
  return pattern.kind === 'detects' && pattern.threshold === undefined;
}

export function isKnownClean({ pattern }: Query, known: CleanRecord | undefined): boolean {
  return isShared(pattern) && findsNothingInSlices(known, pattern.detector);
}

export function noteSearched({ pattern }: Query, raw: string, known: CleanRecord | undefined): void {
  if (isShared(pattern)) noteNothingInSlices(raw, known, pattern.detector);
}
