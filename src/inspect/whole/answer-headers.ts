import { MASK } from '../../text/mask.ts';
import type { Finding, StreamDetector } from '../../detectors/finding.ts';
import { mask } from '../../detectors/mask.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import { isShown } from '../../shown-headers.ts';
import { CLEAN, type Inspected, type Found } from '../inspected.ts';
import { contextOf } from '../../text/beside.ts';
import { APART } from '../scan/scan-batch.ts';

/** HTTP date (RFC 9110 section 5.6.7), which changes with every answer. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Shorter values cannot contain a finding. */
const MIN_VALUE_CHARS = 6;
const MAX_KEPT = 128;
const MAX_KEPT_CHARS = 256;
const PRINTABLE = /^[\x20-\x7e]*$/;

interface Header {
  readonly name: string;
  readonly value: string;
  /** The value after its name, which helps detectors to identify the value. */
  readonly searched: string;
}

/** Creates a search of answer headers that skips values known to be clean. */
export function createHeaderInspection(detector: StreamDetector): (exchange: Answered) => Inspected {
  const clean = new Map<string, string>();
  return ({ answerHeaders, responseHeaders }) => {
    const changed: Header[] = [];
    for (const [name, value] of answerHeaders) {
      if (value.length < MIN_VALUE_CHARS || needsNoSearch(name, value)) continue;
      if (clean.get(name) !== value) changed.push({ name, value, searched: contextOf(name) + value });
    }
    if (changed.length === 0) return CLEAN;
    if (detector.find(changed.map(({ searched }) => searched).join(APART)).length === 0) {
      if (clean.size > MAX_KEPT) clean.clear();
      for (const { name, value } of changed) if (value.length <= MAX_KEPT_CHARS) clean.set(name, value);
      return CLEAN;
    }
    const found: Found[] = [];
    const masked = new Map<string, string>();
    for (const header of changed) {
      const findings = findingsIn(header, detector);
      if (findings.length === 0) continue;
      found.push(
        ...findings.map((finding) => ({ finding, text: header.value.slice(finding.start, finding.end) })),
      );
      // Non-ASCII bytes would not keep their encoding.
      masked.set(header.name, PRINTABLE.test(header.value) ? mask(header.value, findings) : MASK);
    }
    return {
      found,
      mask: () =>
        Promise.resolve(() => {
          for (const [name, value] of masked) responseHeaders.set(name, value);
        }),
    };
  };
}

/**
 * Reports whether a header needs no search: a length, a date, or a header that is not forwarded, which a mask would
 * restore.
 */
function needsNoSearch(name: string, value: string): boolean {
  if (name === 'content-length' || (name === 'date' && HTTP_DATE.test(value))) return true;
  return !isShown(name, value, 'provider');
}

function findingsIn({ searched, value }: Header, detector: StreamDetector): readonly Finding[] {
  const from = searched.length - value.length;
  return detector
    .find(searched)
    .filter(({ end }) => end > from)
    .map((finding) => ({ ...finding, start: Math.max(0, finding.start - from), end: finding.end - from }));
}
