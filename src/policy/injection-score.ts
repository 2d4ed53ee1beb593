import { injectionClassifier } from '../detectors/learned/injection.ts';
import { slicesOf } from '../detectors/slices.ts';
import type { Work } from '../turns.ts';
import type { PolicyCall } from './call.ts';
import { isTrusted } from './trust.ts';

/**
 * Returns `input.action.injection_score`, the highest score of a call's texts, 0 to 1. Trusted instructions and the agent's
 * own words are left out.
 */
export function* injectionScore({ texts, trust }: PolicyCall): Work<number> {
  const classifier = injectionClassifier();
  let highest = 0;
  for (const { raw, normalized, role, isOwn } of texts) {
    if (isOwn === true) continue;
    if (role !== undefined && isTrusted(role, trust, undefined)) continue;
    for (const form of raw === normalized ? [raw] : [raw, normalized]) {
      for (const { start, end } of slicesOf(form)) {
        yield end - start;
        highest = Math.max(highest, classifier.judge(form.slice(start, end)).score);
      }
    }
  }
  return highest;
}
