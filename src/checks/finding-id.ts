import { createHash } from 'node:crypto';

/** Returns a finding's risk store id: the rule and a digest of the matched text, which is not stored. */
export function findingId(rule: string, matchedText: string): string {
  const digest = createHash('sha256').update(matchedText).digest('base64url').slice(0, 22);
  return `${rule}:${digest}`;
}

export function ruleOf(id: string): string {
  const end = id.lastIndexOf(':');
  return end === -1 ? id : id.slice(0, end);
}
