import type { JsonObject, RequestFacts } from '../provider.ts';
import { objectOf } from './fields.ts';
import { isObject } from '../../json/is-object.ts';

/** Objects that switch thinking on, in any dialect and in Google's two spellings, and their members that count it. */
const SETTINGS: readonly (readonly [name: string, members: readonly string[]])[] = [
  ['thinking', ['budget_tokens', 'token_budget']], // Anthropic, and those that follow it; Cohere
  ['reasoning', ['max_tokens']], // OpenRouter
  ['reasoning_config', ['budget_tokens']], // Bedrock
  ['reasoningConfig', ['budget_tokens', 'budgetTokens']],
  ['thinkingConfig', ['thinkingBudget', 'thinking_budget']],
  ['thinking_config', ['thinkingBudget', 'thinking_budget']],
];
/** Members of their own (Qwen's hosts, vLLM; Fireworks takes a number for an effort). */
const COUNTS: readonly string[] = ['thinking_budget', 'thinking_token_budget', 'reasoning_effort'];

/** The most tokens that these objects, a body and those where providers keep such settings, give to thinking. */
export function thinkingTokens(...places: readonly unknown[]): Pick<RequestFacts, 'thinkingTokens'> {
  let most = 0;
  for (const place of places) if (isObject(place)) most = Math.max(most, mostIn(place));
  return most === 0 ? {} : { thinkingTokens: most };
}

/** A body in OpenAI's style, and where the switches of others come in one: clients write `extra_body` out, or send it as such. */
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

/** Some stand for "as much as it likes" (-1) or for none (0). */
function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 && value <= 1e9 ? value : 0;
}
