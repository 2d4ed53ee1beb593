import type { JsonObject } from '../dialect.ts';
import type { RequestFacts } from '../request-facts.ts';
import { objectOf } from './fields.ts';
import { isObject } from '../../json/is-object.ts';

/** Objects that enable thinking, in all dialects and both of Google's spellings, with their token limits. */
const SETTINGS: readonly (readonly [name: string, members: readonly string[]])[] = [
  ['thinking', ['budget_tokens', 'token_budget']], // Anthropic, and those that follow it; Cohere
  ['reasoning', ['max_tokens']], // OpenRouter
  ['reasoning_config', ['budget_tokens']], // Bedrock
  ['reasoningConfig', ['budget_tokens', 'budgetTokens']],
  ['thinkingConfig', ['thinkingBudget', 'thinking_budget']],
  ['thinking_config', ['thinkingBudget', 'thinking_budget']],
];
/** Top-level token limits (Qwen hosts, vLLM). Fireworks accepts a number as reasoning effort. */
const COUNTS: readonly string[] = ['thinking_budget', 'thinking_token_budget', 'reasoning_effort'];

/** Returns the largest thinking limit in these objects: the body, and its members that hold such settings. */
export function thinkingTokens(...places: readonly unknown[]): Pick<RequestFacts, 'thinkingTokens'> {
  let most = 0;
  for (const place of places) if (isObject(place)) most = Math.max(most, mostIn(place));
  return most === 0 ? {} : { thinkingTokens: most };
}

/** Also reads other providers' settings: clients spell out `extra_body`, or send its content. */
export function thinkingTokensOfBody(body: JsonObject): Pick<RequestFacts, 'thinkingTokens'> {
  const extra = objectOf(body.extra_body);
  return thinkingTokens(
    body,
    extra,
    body.google,
    extra.google,
    body.chat_template_kwargs,
    body.generationConfig,
    body.generation_config,
  );
}

function mostIn(place: JsonObject): number {
  let most = 0;
  for (const name of COUNTS) most = Math.max(most, countOf(place[name]));
  for (const [name, members] of SETTINGS) {
    const settings = place[name];
    if (!isObject(settings)) continue;
    for (const member of members) most = Math.max(most, countOf(settings[member]));
  }
  return most;
}

/** Ignores -1 (no limit) and 0 (no thinking). */
function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 && value <= 1e9 ? value : 0;
}
