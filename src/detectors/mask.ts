import { MASK } from '../text/mask.ts';
import { runNow, type Work } from '../turns.ts';
import { findSecrets } from './secrets/secrets.ts';
import type { Span } from '../text/span.ts';

/** Of parts of a masked text, as many are joined at once. */
const STEP_PARTS = 8_192;

/** Puts `***` in place of every finding's span; spans that overlap or touch become one. Offsets are of `text`. */
export function mask(text: string, findings: readonly Span[]): string {
  return findings.length === 0 ? text : runNow(maskInSteps(text, findings));
}

/** What `mask` does, of a text that may have very many findings. */
export function* maskInSteps(text: string, findings: readonly Span[]): Work<string> {
  const spans = findings.toSorted((a, b) => a.start - b.start);
  let masked = '';
  let parts: string[] = [];
  let copied = 0;
  let maskedUntil = -1;
  for (const { start, end } of spans) {
    if (start > maskedUntil) parts.push(text.slice(copied, start), MASK);
    maskedUntil = Math.max(maskedUntil, end);
    copied = maskedUntil;
    if (parts.length < STEP_PARTS) continue;
    masked += parts.join('');
    parts = [];
    yield;
  }
  parts.push(text.slice(copied));
  return masked + parts.join('');
}

/** The text with every secret in it replaced by `***`: for what is stored or echoed. */
export function maskSecrets(text: string): string {
  return mask(text, findSecrets(text));
}
