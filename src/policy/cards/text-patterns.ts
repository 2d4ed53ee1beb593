import { RE2JS } from 're2js';
import { seedPhraseDetector } from '../../detectors/assets/seed-phrase.ts';
import { walletKeyDetector } from '../../detectors/assets/wallet-key.ts';
import { findCredentials } from '../../detectors/credentials/credentials.ts';
import { cardDetector } from '../../detectors/pii/card.ts';
import { findCvv } from '../../detectors/pii/cvv.ts';
import { createEmailDetector } from '../../detectors/pii/email.ts';
import type { Detector, DetectorName, FindingClass } from '../../detectors/finding.ts';
import { ibanDetector } from '../../detectors/pii/iban.ts';
import { internalHostDetector } from '../../detectors/network/internal-host.ts';
import { networkDetector } from '../../detectors/network/network.ts';
import { findPathClimb } from '../../detectors/traversal/path-climb.ts';
import { findPathTraversal } from '../../detectors/traversal/path-traversal.ts';
import { phoneDetector } from '../../detectors/pii/phone.ts';
import { DENY_SCORE, learnedInjection } from '../../detectors/learned/injection.ts';
import { findPromptInjection } from '../../detectors/injection/prompt-injection.ts';
import { findSecrets } from '../../detectors/secrets/secrets.ts';
import { isOneSlice, slicesOf, type Slice } from '../../detectors/slices.ts';
import { findSqlInjection } from '../../detectors/sql/sql-injection.ts';
import { ssnDetector } from '../../detectors/pii/ssn.ts';
import type { Span } from '../../text/span.ts';
import type { Work } from '../../turns.ts';
import type { TextPattern } from './mask-rule.ts';

/** Searches a text for one pattern: short texts at once, long ones in several turns. */
export type TextSearch = (text: string) => FoundSpan | undefined | SlicedSearch;

export interface FoundSpan extends Span {
  readonly rule?: string;
  readonly class?: FindingClass;
  readonly score?: number;
}

type SlicedSearch = Work<FoundSpan | undefined>;

export function isWork(search: ReturnType<TextSearch>): search is SlicedSearch {
  return search !== undefined && 'next' in search;
}

const DETECTORS: Readonly<Record<Exclude<DetectorName, 'injection_learned'>, Detector>> = {
  secrets: findSecrets,
  email: createEmailDetector([]).find,
  card: cardDetector.find,
  ssn: ssnDetector.find,
  phone: phoneDetector.find,
  network: (text) => [...networkDetector.find(text), ...internalHostDetector.find(text)],
  credentials: findCredentials,
  iban: ibanDetector.find,
  wallet_key: walletKeyDetector.find,
  seed_phrase: seedPhraseDetector.find,
  prompt_injection: findPromptInjection,
  sql_injection: findSqlInjection,
  path_traversal: findPathTraversal,
  path_climb: findPathClimb,
  cvv: findCvv,
};

/** Detectors as cards name them. */
export const DETECTOR_NAMES: readonly string[] = ['secret', ...Object.keys(DETECTORS), 'injection_learned'];

export function detectorNamed(name: string): DetectorName | undefined {
  if (name === 'secret') return 'secrets';
  return DETECTOR_NAMES.includes(name) ? (name as DetectorName) : undefined;
}

/** @throws Error that explains what is wrong with a regular expression */
export function searchFor(pattern: TextPattern): TextSearch {
  if (pattern.kind === 'contains') return searchLiteral(pattern.text);
  return pattern.kind === 'regex' ? searchRegex(compileRegex(pattern.source)) : searchFound(pattern);
}

function searchFound({ detector, threshold = DENY_SCORE }: TextPattern & { kind: 'detects' }): TextSearch {
  // A model judges whole slices, so cuts do not affect matches.
  return detector === 'injection_learned'
    ? searchDetector(learnedInjection(threshold), () => true)
    : searchDetector(DETECTORS[detector]);
}

/**
 * Compiles RE2 syntax, or JavaScript's where RE2 has the same. Always linear.
 * @throws Error that explains the problem
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
  return (text) => (isOneSlice(text) ? spanOf(find(text)[0], 0) : detectInSlices(find, text, judges));
}

function* detectInSlices(find: Detector, text: string, judges?: Slice['judges']): SlicedSearch {
  for (const [index, slice] of slicesOf(text).entries()) {
    if (index > 0) yield;
    const found = spanOf(find(text.slice(slice.start, slice.end)).find(judges ?? slice.judges), slice.start);
    if (found !== undefined) return found;
  }
  return undefined;
}

function spanOf(found: FoundSpan | undefined, offset: number): FoundSpan | undefined {
  return found && { ...found, start: found.start + offset, end: found.end + offset };
}

/** UTF-16 units per search; longer texts are searched in overlapping pieces. */
const PIECE = 262_144;
const OVERLAP = 32_768;
/** Matches that close to a cut may be artefacts; the previous piece covers them. */
const MARGIN = 512;

function searchRegex(regex: RE2JS): TextSearch {
  return (text) => (text.length <= PIECE ? firstMatch(regex, text, 0) : matchInPieces(regex, text));
}

function* matchInPieces(regex: RE2JS, text: string): SlicedSearch {
  for (let start = 0; start < text.length; start += PIECE - OVERLAP) {
    if (start > 0) yield;
    const found = firstMatch(regex, text.slice(start, start + PIECE), start === 0 ? 0 : MARGIN);
    if (found !== undefined) return spanOf(found, start);
  }
  return undefined;
}

function firstMatch(regex: RE2JS, text: string, from: number): Span | undefined {
  // A test is ten times as fast as a search, and usually negative.
  if (!regex.test(text)) return undefined;
  const matcher = regex.matcher(text);
  return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined;
}
