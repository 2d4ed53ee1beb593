import { MASK } from '../../text/mask.ts';
import { findSecrets } from '../../detectors/secrets/secrets.ts';
import type { PolicyCall } from '../call.ts';
import type { TextMatch } from './text-query.ts';

const MAX_MATCH_CHARS = 256;
/** Characters on each side of a match that are searched for secrets. */
const AROUND = 4_096;
const PLACE = /\{(tool_name|resource_uri|prompt_name|model|rule|match|score)\}/g;

/**
 * Fills in the placeholders of a rule's reason. Matches are shown on one line and without secrets (docs/policies.md).
 */
export function filledReason(
  template: string,
  rule: string,
  { input: { request } }: PolicyCall,
  match: TextMatch | undefined,
): string {
  return template.replace(PLACE, (_place, name: string) => {
    if (name === 'rule') return rule;
    if (name === 'score') return match === undefined ? '' : shownScore(match);
    if (name === 'match') return match === undefined ? '' : shownMatch(match);
    if (name === 'model') return request.method === 'llm_call' ? inOneLine(request.model) : '';
    if (request.method === 'llm_call') return '';
    const { tool_name, resource_uri, prompt_name } = request;
    return inOneLine({ tool_name, resource_uri, prompt_name }[name] ?? '');
  });
}

export function quotesMatch(template: string): boolean {
  return template.includes('{match}') || template.includes('{score}');
}

function shownScore({ rule, score }: TextMatch): string {
  return score === undefined ? '' : `${rule ?? 'model'}, score ${score.toFixed(2)}`;
}

function shownMatch({ text, start, end }: TextMatch): string {
  const shownEnd = Math.min(end, start + MAX_MATCH_CHARS);
  const from = Math.max(0, start - AROUND);
  const secrets = findSecrets(text.slice(from, shownEnd + AROUND));
  const isSecret = secrets.some((secret) => secret.start + from < shownEnd && secret.end + from > start);
  return isSecret ? MASK : inOneLine(text.slice(start, shownEnd));
}

/** Escapes quotes and line breaks and replaces invisible characters, which could attack agents that read the reason. */
function inOneLine(text: string): string {
  return JSON.stringify(text.slice(0, MAX_MATCH_CHARS))
    .slice(1, -1)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}
