import { secretRules } from '../../../../src/detectors/secrets/secret-rules.ts';
import { findSecrets } from '../../../../src/detectors/secrets/secrets.ts';

export const DRAWS = 20;

export const rules = secretRules.map((rule) => rule.id);

export function spansOf(text: string): { rule: string; found: string }[] {
  return findSecrets(text).map(({ rule, start, end }) => ({ rule, found: text.slice(start, end) }));
}
