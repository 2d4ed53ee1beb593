import { createHash } from 'node:crypto';

/** Names a finding for the risk store: the rule, and a digest of the text that it matched, which is not kept. */
export function findingId(rule: string, matchedText: string): string {
  const digest = createHash('sha256').update(matchedText).digest('base64url').slice(0, 22);
  return `${rule}:${digest}`;
}

/** The rule that a finding's id names. */
export function ruleOf(id: string): string {
  const end = id.lastIndexOf(':');
  return end === -1 ? id : id.slice(0, end);
}
