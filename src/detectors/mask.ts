import { MASK } from '../text/mask.ts';
import { findSecrets } from './secrets/secrets.ts';
import type { Span } from '../text/span.ts';

/** Puts `***` in place of every finding's span; spans that overlap or touch become one. Offsets are of `text`. */
export function mask(text: string, findings: readonly Span[]): string {
  if (findings.length === 0) return text;
  const spans = findings.toSorted((a, b) => a.start - b.start);
  const parts: string[] = [];
  let copied = 0;
  let maskedUntil = -1;
  for (const { start, end } of spans) {
    if (start > maskedUntil) {
      parts.push(text.slice(copied, start), MASK);
    }
    maskedUntil = Math.max(maskedUntil, end);
    copied = maskedUntil;
  }
  parts.push(text.slice(copied));
  return parts.join('');
}

/** The text with every secret in it replaced by `***`: for what is stored or echoed. */
export function maskSecrets(text: string): string {
  return mask(text, findSecrets(text));
}
