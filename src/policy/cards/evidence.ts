import { MAX_REFUSAL_FINDINGS, whereSaid, type RefusalFinding } from '../../where-found.ts';
import type { CallText, PolicyCall } from '../call.ts';
import type { CompiledRule } from './compile-card.ts';
import type { TextPattern } from './mask-rule.ts';
import type { TextMatch } from './text-query.ts';

export interface Evidence {
  readonly finding: RefusalFinding;
  readonly pattern: TextPattern;
  readonly match: TextMatch;
}

export function evidenceOf(
  { hit, evidence }: Pick<CompiledRule, 'hit' | 'evidence'>,
  call: PolicyCall,
  found: ReadonlyMap<number, TextMatch>,
): readonly Evidence[] {
  const shown: Evidence[] = [];
  for (const { query, pattern } of evidence) {
    const match = found.get(query);
    if (match === undefined) continue;
    if (shown.length === MAX_REFUSAL_FINDINGS) break;
    shown.push({ finding: findingOf(hit.rule, pattern, match, textOf(match, call)), pattern, match });
  }
  return shown;
}

function findingOf(
  rule: string,
  pattern: TextPattern,
  match: TextMatch,
  searched: CallText | undefined,
): RefusalFinding {
  const source = searched?.source;
  return {
    rule,
    detector: pattern.kind === 'detects' ? pattern.detector : pattern.kind,
    ...(match.rule !== undefined && { finding: match.rule }),
    class: match.class ?? 'pattern',
    ...(source !== undefined && whereSaid(source)),
    ...(match.score !== undefined && { score: match.score }),
  };
}

/** Returns the searched text. For a text that was read with its context, returns one that contains the match. */
function textOf({ text, sent = text, start, end }: TextMatch, { texts }: PolicyCall): CallText | undefined {
  const whole = texts.find(({ raw, normalized }) => raw === sent || normalized === sent);
  if (whole !== undefined) return whole;
  const matched = text.slice(start, end);
  return texts.find(({ raw, normalized }) => raw.includes(matched) || normalized.includes(matched));
}
