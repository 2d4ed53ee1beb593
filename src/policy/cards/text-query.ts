import type { DetectorName } from '../../detectors/finding.ts';
import { findsNothingInSlices, noteNothingInSlices } from '../../detectors/found-nothing.ts';
import type { CleanRecord } from '../../clean-texts.ts';
import type { CallText } from '../call.ts';
import { findsInjection, type RuleTrust } from '../trust.ts';
import type { TextPattern } from './mask-rule.ts';
import type { FoundSpan, TextSearch } from './text-patterns.ts';

/** Where a text condition found what it looks for. */
export interface TextMatch extends FoundSpan {
  /** The text in which it stands: as sent, or without its disguises. */
  readonly text: string;
  /** The text as it was sent, where what was searched was made from it. */
  readonly said?: string;
}

/** One question to the texts of a call; equal ones are one. */
export interface TextQuery {
  readonly pattern: TextPattern;
  /** Below `arguments`; undefined for all texts. */
  readonly argument: readonly string[] | undefined;
  /** What its rule says of trust, where it looks for injections. */
  readonly trust?: RuleTrust | undefined;
}

/** A question as it is asked. */
export interface Query extends TextQuery {
  /** Equal patterns have the same. */
  readonly patternKey: string;
  readonly search: TextSearch;
  /** Its number among the words that are looked for together; undefined for other patterns. */
  readonly word: number | undefined;
}

export function looksForInjection(pattern: TextPattern): boolean {
  return pattern.kind === 'detects' && findsInjection(pattern.detector);
}

export function isJudgedByModel(pattern: TextPattern): boolean {
  return pattern.kind === 'detects' && pattern.detector === 'injection_learned';
}

/** Whether it looks for data, which is data wherever it stands; words of an attack are read by models alone. */
export function findsData({ pattern }: Query): boolean {
  return pattern.kind === 'detects' && DATA_DETECTORS.has(pattern.detector);
}

/** A climb is judged as it is written: resolving makes a path of code that holds one. */
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

/** What a detector finds by a threshold of its rule's, it finds for that rule alone. */
function isShared(pattern: TextPattern): pattern is TextPattern & { kind: 'detects' } {
  return pattern.kind === 'detects' && pattern.threshold === undefined;
}

/** Somebody has run the detector on the text as it stands, in vain. */
export function isSearched({ pattern }: Query, known: CleanRecord | undefined): boolean {
  return isShared(pattern) && findsNothingInSlices(known, pattern.detector);
}

export function noteSearched({ pattern }: Query, raw: string, known: CleanRecord | undefined): void {
  if (isShared(pattern)) noteNothingInSlices(raw, known, pattern.detector);
}
