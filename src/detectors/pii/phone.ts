import type { Span } from '../../text/span.ts';
import type { Finding, StreamDetector } from '../finding.ts';
import { withoutOverlaps } from '../overlaps.ts';
import { bareNumbersIn, bareOpenIn } from './phone-bare.ts';
import { internationalNumbersIn, internationalOpenIn } from './phone-international.ts';
import { nanpNumbersIn, nanpOpenIn } from './phone-nanp.ts';
import { createStreamDetector } from '../stream-detector.ts';

/**
 * Finds E.164 numbers with a plus, and North American numbers (docs/personal-data.md). libphonenumber only checks
 * candidates, because its own search takes half a second for 100 KB.
 */
export const phoneDetector: StreamDetector = createStreamDetector(findPhones, openIn);

function findPhones(text: string): readonly Finding[] {
  return withoutOverlaps([
    ...internationalNumbersIn(text).map((span) => asFinding('e164', span)),
    ...nanpNumbersIn(text).map((span) => asFinding('nanp', span)),
    ...bareNumbersIn(text).map((span) => asFinding('nanp', span)),
  ]);
}

function asFinding(rule: string, { start, end }: Span): Finding {
  return { detector: 'phone', class: 'phone', rule, start, end };
}

/** Matches the end of text that may be within a number, an extension label or an escaped plus. */
const MAY_BE_OPEN = /[\d\s()+./%:\\\u2007-\u2015\u2212-]$|[\d\s](?:x|e(?:xt?)?)$|\\u[02b]{0,4}$|%2b?$/i;

function openIn(tail: string): number {
  if (!MAY_BE_OPEN.test(tail.slice(-6))) return tail.length;
  return Math.min(internationalOpenIn(tail), nanpOpenIn(tail), bareOpenIn(tail));
}
