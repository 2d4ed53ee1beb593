import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { OutputModality, RequestFacts } from '../request-facts.ts';
import { arrayOf, objectOf } from './fields.ts';

/** Returns the body and other objects with Google's settings: `google`, `extra_body`, `extra_body.google`. */
function settingsOf(body: JsonObject): readonly JsonObject[] {
  const { extra_body: extra, google } = body;
  const places = [body];
  if (isObject(google)) places.push(google);
  if (!isObject(extra)) return places;
  places.push(extra);
  if (isObject(extra.google)) places.push(extra.google);
  return places;
}

/** Any value except null and false may enable a setting, because some provider parsers accept 1 or "true" for true. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

const MODALITY_LISTS: readonly string[] = [
  'modalities',
  'outputModalities',
  'output_modalities',
  'responseModalities',
  'response_modalities',
];

/** Settings for generated audio, images or video. Their presence implies the modality. */
const OUTPUT_SETTINGS: readonly (readonly [name: string, output: OutputModality])[] = [
  ['audio', 'audio'],
  ['speechConfig', 'audio'],
  ['speech_config', 'audio'],
  ['imageConfig', 'image'],
  ['image_config', 'image'],
  ['videoConfig', 'video'],
  ['video_config', 'video'],
];

/** Returns the requested non-text outputs. An unknown modality counts as audio, the most expensive one. */
export function requestedOutputs(...places: readonly unknown[]): Pick<RequestFacts, 'outputs'> {
  const outputs: OutputModality[] = [];
  for (const place of places) {
    if (!isObject(place)) continue;
    for (const name of MODALITY_LISTS) if (isSet(place[name])) outputs.push(...modalitiesIn(place[name]));
    for (const [name, output] of OUTPUT_SETTINGS) if (isSet(place[name])) outputs.push(output);
  }
  return outputs.length === 0 ? {} : { outputs: [...new Set(outputs)] };
}

export function outputsOfBody(body: JsonObject): Pick<RequestFacts, 'outputs'> {
  const places = settingsOf(body);
  return requestedOutputs(
    ...places,
    ...places.flatMap((place) => [place.generationConfig, place.generation_config]),
  );
}

function modalitiesIn(value: unknown): OutputModality[] {
  return (Array.isArray(value) ? value : [value]).flatMap(modalityOf);
}

/** Values that mean text output. Google's enum values may be numbers. */
const TEXT_WORDS: ReadonlySet<unknown> = new Set(['text', 'modality_unspecified', 'none', '0', '1']);

function modalityOf(value: unknown): OutputModality[] {
  const word = String(value).toLowerCase();
  if (TEXT_WORDS.has(word)) return [];
  if (word.startsWith('image') || word === '2') return ['image'];
  return word.startsWith('video') ? ['video'] : ['audio'];
}

/** Objects that enable thinking, in all dialects and both of Google's spellings, with their token limits. */
const THINKING_SETTINGS: readonly (readonly [name: string, members: readonly string[]])[] = [
  ['thinking', ['budget_tokens', 'token_budget']], // Anthropic and compatible providers; Cohere
  ['reasoning', ['max_tokens']], // OpenRouter
  ['reasoning_config', ['budget_tokens']], // Bedrock
  ['reasoningConfig', ['budget_tokens', 'budgetTokens']],
  ['thinkingConfig', ['thinkingBudget', 'thinking_budget']],
  ['thinking_config', ['thinkingBudget', 'thinking_budget']],
];
/** Top-level token limits (Qwen hosts, vLLM). Fireworks accepts a number as reasoning effort. */
const THINKING_LIMITS: readonly string[] = ['thinking_budget', 'thinking_token_budget', 'reasoning_effort'];

/** Returns the largest thinking limit in a body and its settings objects. */
export function thinkingTokens(...places: readonly unknown[]): Pick<RequestFacts, 'thinkingTokens'> {
  let most = 0;
  for (const place of places) if (isObject(place)) most = Math.max(most, largestIn(place));
  return most === 0 ? {} : { thinkingTokens: most };
}

/** Returns the largest thinking limit in a body, including settings of other providers. */
export function thinkingTokensOfBody(body: JsonObject): Pick<RequestFacts, 'thinkingTokens'> {
  const { chat_template_kwargs, generationConfig, generation_config } = body;
  return thinkingTokens(...settingsOf(body), chat_template_kwargs, generationConfig, generation_config);
}

function largestIn(place: JsonObject): number {
  let most = 0;
  for (const name of THINKING_LIMITS) most = Math.max(most, countOf(place[name]));
  for (const [name, members] of THINKING_SETTINGS) {
    const settings = place[name];
    if (!isObject(settings)) continue;
    for (const member of members) most = Math.max(most, countOf(settings[member]));
  }
  return most;
}

/** Ignores -1 (no limit), 0 (no thinking) and implausible values. */
function countOf(value: unknown): number {
  return typeof value === 'number' && value > 0 && value <= 1e9 ? value : 0;
}

/**
 * Members that refer to stored prompts, presets (OpenRouter), agents (Mistral, Azure), assistants or caches (Gemini),
 * which may contain tools. They never contain prompt text, so any value but null counts.
 */
const STORED_MEMBERS: readonly string[] = [
  'preset',
  'prompt_id',
  'agent_id',
  'agent',
  'agent_reference',
  'assistant_id',
  'cached_content',
  'cachedContent',
];

/** OpenRouter accepts a preset instead of a model or appended to one; Bedrock accepts a prompt ARN. */
const STORED_MODEL = /@preset\/|^arn:[^:]*:bedrock:[^:]*:[^:]*:prompt\//i;

/** Returns the member that refers to an object stored at the provider, which may contain tools. */
export function storedPrompt(
  body: unknown,
  models: readonly string[] = [],
): Pick<RequestFacts, 'storedPrompt'> {
  const own = objectOf(body);
  const places = settingsOf(own);
  const named = STORED_MEMBERS.find((name) =>
    places.some((place) => (place[name] ?? undefined) !== undefined),
  );
  if (named !== undefined) return { storedPrompt: named };
  // Unless it is an object, `prompt` contains prompt text.
  if (isObject(own.prompt) || (isObject(own.extra_body) && isObject(own.extra_body.prompt)))
    return { storedPrompt: 'prompt' };
  if (arrayOf(objectOf(own.container).skills).length > 0) return { storedPrompt: 'container.skills' };
  return models.some((model) => STORED_MODEL.test(model)) ? { storedPrompt: 'model' } : {};
}
