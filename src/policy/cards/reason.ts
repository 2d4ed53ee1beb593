import { MASK } from '../../text/mask.ts';
import { findSecrets } from '../../detectors/secrets/secrets.ts';
import type { PolicyCall } from '../call.ts';
import type { TextMatch } from './text-query.ts';

const MAX_MATCH_CHARS = 256;
/** Units around a match in which a secret that it is a part of would be known for one. */
const AROUND = 4_096;
const PLACE = /\{(tool_name|resource_uri|prompt_name|model|rule|match|score)\}/g;

/** What a rule says with its places filled in; a match is shown without secrets and in one line (docs/policies.md). */
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

/** True where a reason tells what was matched, or how sure a model is. */
export function tellsMatch(template: string): boolean {
  return template.includes('{match}') || template.includes('{score}');
}

/** The model, its version and its score. */
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

/** Read by agents, and a place to inject: no line breaks, no quote that ends, nothing that prints nothing. */
function inOneLine(text: string): string {
  return JSON.stringify(text.slice(0, MAX_MATCH_CHARS))
    .slice(1, -1)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}
