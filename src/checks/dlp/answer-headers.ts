import { MASK } from '../../text/mask.ts';
import type { Finding, StreamDetector } from '../../detectors/finding.ts';
import { mask } from '../../detectors/mask.ts';
import { HEADER_PREFIX } from '../../headers.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import { CLEAN, type Inspected, type Found } from './inspected.ts';
import { contextOf, APART } from './scan/scan-batch.ts';

/**
 * Headers that say how a body is read, or hold what a server makes up for its own client: cookies, nonces, places to
 * report to. All others are the provider's words.
 */
const NOT_SEARCHED: ReadonlySet<string> = new Set([
  ':status',
  'connection',
  'content-encoding',
  'content-length',
  'content-security-policy',
  'content-type',
  'date',
  'etag',
  'expires',
  'last-modified',
  'nel',
  'report-to',
  'set-cookie',
  'trailer',
  'transfer-encoding',
]);

/** Nothing that is looked for is shorter. */
const MIN_VALUE_CHARS = 6;
/** Names and lengths of values that are known again. */
const MAX_KEPT = 128;
const MAX_KEPT_CHARS = 256;
const PRINTABLE = /^[\x20-\x7e]*$/;

interface Header {
  readonly name: string;
  readonly value: string;
  /** With the name before the value, as detectors know names. */
  readonly searched: string;
}

/** Looks through the headers of answers. Most are the same in every answer: those are searched once. */
export function createHeaderInspection(detector: StreamDetector): (exchange: Answered) => Inspected {
  /** The last value under a name in which nothing was found. */
  const clean = new Map<string, string>();
  return ({ answerHeaders, responseHeaders }) => {
    const fresh: Header[] = [];
    for (const [name, value] of answerHeaders) {
      if (value.length < MIN_VALUE_CHARS || isLeftOut(name)) continue;
      if (clean.get(name) !== value) fresh.push({ name, value, searched: contextOf(name) + value });
    }
    if (fresh.length === 0) return CLEAN;
    if (detector.find(fresh.map(({ searched }) => searched).join(APART)).length === 0) {
      if (clean.size > MAX_KEPT) clean.clear();
      for (const { name, value } of fresh) if (value.length <= MAX_KEPT_CHARS) clean.set(name, value);
      return CLEAN;
    }
    const found: Found[] = [];
    const masked = new Map<string, string>();
    for (const header of fresh) {
      const findings = findingsIn(header, detector);
      if (findings.length === 0) continue;
      found.push(
        ...findings.map((finding) => ({ finding, text: header.value.slice(finding.start, finding.end) })),
      );
      // Other bytes than ASCII's would come out in another spelling.
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

/** A provider's copies of ours never leave; a mask would be one. */
function isLeftOut(name: string): boolean {
  return NOT_SEARCHED.has(name) || name.startsWith(HEADER_PREFIX);
}

/** Findings in the name alone are not the value's. */
function findingsIn({ searched, value }: Header, detector: StreamDetector): readonly Finding[] {
  const from = searched.length - value.length;
  return detector
    .find(searched)
    .filter(({ end }) => end > from)
    .map((finding) => ({ ...finding, start: Math.max(0, finding.start - from), end: finding.end - from }));
}
