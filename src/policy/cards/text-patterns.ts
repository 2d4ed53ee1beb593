import { RE2JS } from 're2js';
import { cardDetector } from '../../detectors/card.ts';
import { findCvv } from '../../detectors/cvv.ts';
import { createEmailDetector } from '../../detectors/email.ts';
import type { Detector, DetectorName } from '../../detectors/finding.ts';
import { internalHostDetector } from '../../detectors/internal-host.ts';
import { networkDetector } from '../../detectors/network.ts';
import { findPathTraversal } from '../../detectors/path-traversal.ts';
import { phoneDetector } from '../../detectors/phone.ts';
import { findPromptInjection } from '../../detectors/prompt-injection.ts';
import { findSecrets } from '../../detectors/secrets.ts';
import { slicesOf } from '../../detectors/slices.ts';
import { findSqlInjection } from '../../detectors/sql-injection.ts';
import { ssnDetector } from '../../detectors/ssn.ts';
import type { Span } from '../../normalize/normalized.ts';
import type { TextPattern } from './mask-rule.ts';

/** Looks for one pattern in a text; a generator so that nobody waits for a long one: it yields between slices. */
export type TextSearch = (text: string) => Generator<undefined, Span | undefined>;

const DETECTORS: Readonly<Record<DetectorName, Detector>> = {
  secrets: findSecrets,
  email: createEmailDetector([]).find,
  card: cardDetector.find,
  ssn: ssnDetector.find,
  phone: phoneDetector.find,
  network: (text) => [...networkDetector.find(text), ...internalHostDetector.find(text)],
  prompt_injection: findPromptInjection,
  sql_injection: findSqlInjection,
  path_traversal: findPathTraversal,
  cvv: findCvv,
};

/** Detectors as cards name them. */
export const DETECTOR_NAMES: readonly string[] = ['secret', ...Object.keys(DETECTORS)];

export function detectorNamed(name: string): DetectorName | undefined {
  if (name === 'secret') return 'secrets';
  return Object.hasOwn(DETECTORS, name) ? (name as DetectorName) : undefined;
}

/** @throws Error that says what is wrong with a regular expression */
export function searchFor(pattern: TextPattern): TextSearch {
  if (pattern.kind === 'contains') return searchLiteral(pattern.text);
  return pattern.kind === 'regex'
    ? searchRegex(compileRegex(pattern.source))
    : searchDetector(DETECTORS[pattern.detector]);
}

/**
 * RE2's syntax, and JavaScript's where RE2 has the same; linear whatever it says.
 * @throws Error that says what is wrong with it
 */
export function compileRegex(source: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(source));
}

function searchLiteral(literal: string): TextSearch {
  // eslint-disable-next-line require-yield -- one pass, as fast as reading
  return function* (text) {
    const start = text.indexOf(literal);
    return start === -1 ? undefined : { start, end: start + literal.length };
  };
}

function searchDetector(find: Detector): TextSearch {
  return function* (text) {
    for (const [index, slice] of slicesOf(text).entries()) {
      if (index > 0) yield;
      const found = find(text.slice(slice.start, slice.end)).find(slice.judges);
      if (found !== undefined) return { start: found.start + slice.start, end: found.end + slice.start };
    }
    return undefined;
  };
}

/** UTF-16 units that are searched at once: a longer text is searched in pieces that overlap. */
const PIECE = 262_144;
const OVERLAP = 32_768;
/** A match that begins so near to a piece's cut edge may be the cut's making; the piece before saw it whole. */
const MARGIN = 512;

function searchRegex(regex: RE2JS): TextSearch {
  return function* (text) {
    if (text.length <= PIECE) return firstMatch(regex, text, 0);
    for (let start = 0; start < text.length; start += PIECE - OVERLAP) {
      if (start > 0) yield;
      const found = firstMatch(regex, text.slice(start, start + PIECE), start === 0 ? 0 : MARGIN);
      if (found !== undefined) return { start: found.start + start, end: found.end + start };
    }
    return undefined;
  };
}

function firstMatch(regex: RE2JS, text: string, from: number): Span | undefined {
  // A test is ten times faster than a search, and nearly always the answer is no.
  if (!regex.test(text)) return undefined;
  const matcher = regex.matcher(text);
  return matcher.find(from) ? { start: matcher.start(), end: matcher.end() } : undefined;
}
