import { injectionClassifier } from '../detectors/learned/injection.ts';
import { slicesOf } from '../detectors/slices.ts';
import type { Work } from '../turns.ts';
import type { PolicyCall } from './call.ts';
import { isTrusted } from './trust.ts';

/** `input.action.injection_score`: the highest score of the texts of a call, trusted instructions and what is an agent's own left out. 0 to 1. */
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
