import { MASK } from '../text/mask.ts';
import { runNow, type Work } from '../turns.ts';
import { findSecrets } from './secrets/secrets.ts';
import type { Span } from '../text/span.ts';

const STEP_PARTS = 8_192;

/** Replaces every span with `***`. Overlapping or adjacent spans are merged. */
export function mask(text: string, findings: readonly Span[]): string {
  return findings.length === 0 ? text : runNow(maskInSteps(text, findings));
}

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

export function maskSecrets(text: string): string {
  return mask(text, findSecrets(text));
}
