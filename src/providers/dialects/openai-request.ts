import { GatewayError } from '../../errors.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { Endpoint, JsonObject, OutputLimit, RequestFacts } from '../provider.ts';
import { outputsOfBody } from './asked-outputs.ts';
import {
  namesIn,
  objectOf,
  optionalArray,
  optionalBoolean,
  optionalObject,
  optionalString,
  refuseOtherCase,
  requiredString,
} from './fields.ts';
import { gatheredFacts, type Gathered } from './json-text.ts';
import { addBodyMember, mediumNamed } from './media.ts';
import type { ChoiceVariant } from './openai-choices.ts';
import { readParts } from './openai-parts.ts';
import { readToolSwitches, SWITCHES, toolFacts, type ToolOffer } from './openai-tools.ts';
import { storedPrompt } from './stored-prompts.ts';
import { thinkingTokensOfBody } from './thinking-tokens.ts';

/** How one provider's reading of a shared dialect differs from OpenAI's own. */
export interface OpenaiVariant extends ChoiceVariant {
  /** Members that limit the output here, the one to grant a limit in first; others are ignored upstream. */
  readonly limitFields: readonly [string, ...string[]];
  /** False where a stream reports its usage without being asked (or refuses to be asked). */
  readonly asksUsage: boolean;
  /** Service tiers at the standard price, beside `auto` and `default`. */
  readonly standardTiers?: readonly string[];
  /** The tier at the list price, where an account's own setting would decide for a request that asks for none. */
  readonly pinnedTier?: { readonly chat: string; readonly responses: string };
  /** What `/completions` stops at where no limit is set, if the provider documents it. */
  readonly completionsDefault?: number;
  /** OpenRouter: `models` names fallbacks, `:online` asks for web search, `@preset/` for stored prompts. */
  readonly routes?: boolean;
}

/** Members that steer the model and put no words before it. Anything that is not listed is read as text. */
const PARAMETERS = namesIn(
  'model models stream stream_options n best_of max_tokens max_completion_tokens max_output_tokens min_tokens',
  'temperature top_p top_k min_p frequency_penalty presence_penalty repetition_penalty seed random_seed stop',
  'logprobs top_logprobs logit_bias echo user safety_identifier prompt_cache_key prompt_cache_retention',
  'prompt_cache_options metadata store service_tier tool_choice parallel_tool_calls reasoning_effort verbosity',
  'modalities audio background include truncation max_tool_calls previous_response_id conversation',
  'provider route preset transforms encoding_format dimensions top_n return_documents keep_alive think safe_prompt',
);

export type MemberReaders = Readonly<Record<string, (value: unknown) => void>>;

/** Goes through a body in its own order: named members by their readers, parameters not at all, the rest as text. */
export function readMembers(into: Gathered, body: JsonObject, readers: MemberReaders): void {
  refuseOtherCase(body, (name) => PARAMETERS.has(name) || SWITCHES.has(name) || Object.hasOwn(readers, name));
  for (const [name, value] of Object.entries(body)) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read !== undefined) read(value);
    else if (!PARAMETERS.has(name) && (typeof value === 'string' || typeof value === 'object')) {
      if (mediumNamed(name) === undefined) addBodyMember(into, { role: 'system', kind: 'text' }, name, value);
      else readParts(into, { role: 'user', kind: 'text' }, { [name]: value }, []);
    }
  }
}

export interface AskedModels {
  /** The one that is asked for, and those that may stand in for it. */
  readonly names: readonly string[];
  /** The web search that `:online` in a model's name asks for. */
  readonly online: readonly ToolOffer[];
  /** A prompt that is stored at the router takes part. */
  readonly preset: boolean;
}

const ONLINE = /:online(?=:|$)/;
const EVERY_ONLINE = new RegExp(ONLINE, 'g');

/** The models that the path or the body names. */
export function readModels(body: JsonObject, endpoint: Endpoint, variant: OpenaiVariant): AskedModels {
  const model = endpoint.model ?? requiredString(body, 'model');
  if (variant.routes !== true) return { names: [model], online: [], preset: false };

  const fallbacks = (optionalArray(body, 'models') ?? []).map((name) => {
    if (typeof name === 'string') return name;
    throw new GatewayError('invalid_request', 'The request\'s "models" must be a list of strings.');
  });
  const asked = [model, ...fallbacks];
  const remove = asked.flatMap((name, index): JsonEdit[] => {
    if (!ONLINE.test(name)) return [];
    const path = index === 0 ? ['model'] : ['models', index - 1];
    return [{ kind: 'set', path, value: withoutOnline(name) }];
  });
  return {
    names: asked.map(withoutOnline),
    online: remove.length === 0 ? [] : [{ type: ':online', name: ':online', clientRun: false, remove }],
    preset: optionalString(body, 'preset') !== undefined || asked.some((name) => /@preset\//i.test(name)),
  };
}

function withoutOnline(model: string): string {
  return model.replaceAll(EVERY_ONLINE, '');
}

/** What is known of a request beside its body's words. */
interface Asked {
  readonly models: AskedModels;
  readonly offers: readonly ToolOffer[];
  readonly variant: OpenaiVariant;
  /** `tool_choice`, where the endpoint has one. */
  readonly toolChoice: unknown;
}

/** What a body says in all of OpenAI's forms alike. */
export function bodyFacts(into: Gathered, body: JsonObject, asked: Asked): RequestFacts {
  const { names, online, preset } = asked.models;
  const offers = [...asked.offers, ...readToolSwitches(body, names), ...online];
  return {
    ...gatheredFacts(into, names),
    stream: optionalBoolean(body, 'stream'),
    ...toolFacts(offers, asked.toolChoice),
    unseenContent: into.unseenContent || preset || goesOn(body),
    ...(preset && { unbounded: 'preset' }),
    ...outputsOfBody(body),
    ...thinkingTokensOfBody(body),
    ...storedPrompt(body, names),
    ...whyUnbounded(body, asked.variant),
    ...hidesReasoning(body),
  };
}

/** An earlier conversation that the provider keeps. */
function goesOn(body: JsonObject): boolean {
  const isNamed = body.conversation !== undefined && body.conversation !== null;
  return isNamed || optionalString(body, 'previous_response_id') !== undefined;
}

/** The same, and what bodies say of which the answer has `choices`. */
export function choiceFacts(into: Gathered, body: JsonObject, asked: Asked) {
  return {
    ...bodyFacts(into, body, asked),
    choices: Math.max(...CHOICE_NAMES.map((name) => optionalPositive(body, name) ?? 1)),
    output: readOutputLimit(body, asked.variant.limitFields),
    ...askUsage(body, asked.variant),
  };
}

/** Above this a number of tokens or answers is nonsense, and arithmetic on it loses its units. */
const MAX_COUNT = 1e9;

/** A member that must be a whole number of at least 1; null counts as absent. */
export function optionalPositive(body: JsonObject, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_COUNT) return value;
  throw new GatewayError('invalid_request', `The request's "${name}" must be a positive whole number.`);
}

/** The names of OpenAI's own API, and those under which engines that speak it know a limit too. */
const LIMIT_NAMES = [
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
  ...['max_new_tokens', 'n_predict', 'num_predict', 'max_gen_len', 'max_tokens_to_sample', 'max_length'],
  ...['maxTokens', 'maxOutputTokens', 'maxNewTokens', 'max_generated_tokens'],
];
/** How many answers are asked for, or are written to choose from. */
const CHOICE_NAMES = [
  ...['n', 'best_of', 'n_cmpl', 'num_generations', 'num_return_sequences', 'num_choices', 'num_beams'],
  ...['candidate_count', 'candidateCount', 'beam_width'],
];

/**
 * The limit in the members that count here; where a client sets several, the highest is what may be billed. A
 * limit under a name that this provider ignores bounds nothing by itself, and a grant does not go beyond it; but
 * since a provider may learn a name any day, it is never taken for lower than it is, nor left above a grant.
 */
export function readOutputLimit(body: JsonObject, fields: OpenaiVariant['limitFields']): OutputLimit {
  const limits = LIMIT_NAMES.map((name) => ({ name, tokens: optionalPositive(body, name) }));
  const set = limits.filter((limit): limit is { name: string; tokens: number } => limit.tokens !== undefined);
  const least = Math.min(...set.map(({ tokens }) => tokens));
  if (set.some(({ name }) => fields.includes(name))) {
    return {
      tokens: Math.max(...set.map(({ tokens }) => tokens)),
      set: (tokens) => set.map((own) => setMember(own.name, Math.min(tokens, own.tokens))),
    };
  }
  const names = [fields[0], ...set.map(({ name }) => name)];
  return {
    tokens: undefined,
    set: (tokens) => names.map((name) => setMember(name, Math.min(tokens, least))),
  };
}

/** The edit that asks for the tier at the list price, where the client leaves it to the provider. */
export function pinTier(body: JsonObject, tier: string | undefined): Pick<RequestFacts, 'pinTier'> {
  const asked = body.service_tier;
  const leftOpen = asked === undefined || asked === null || asked === 'auto';
  return tier !== undefined && leftOpen ? { pinTier: [setMember('service_tier', tier)] } : {};
}

function setMember(name: string, value: number | string): JsonEdit {
  return { kind: 'set', path: [name], value };
}

/** The edits that make a stream report its usage, where it would not by itself. */
function askUsage(body: JsonObject, variant: OpenaiVariant): Pick<RequestFacts, 'askUsage'> {
  const options = optionalObject(body, 'stream_options');
  if (!optionalBoolean(body, 'stream') || !variant.asksUsage || options?.include_usage === true) return {};
  return { askUsage: [{ kind: 'set', path: ['stream_options', 'include_usage'], value: true }] };
}

/** Some providers' parsers take 1 or "true" for true. */
function isOn(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

/** The client asks for an answer that leaves out the model's reasoning, which is billed all the same. */
function hidesReasoning(body: JsonObject): Pick<RequestFacts, 'hidesReasoning'> {
  const hides =
    isOn(objectOf(body.reasoning).exclude) ||
    body.reasoning_format === 'hidden' ||
    (body.include_reasoning !== undefined && body.include_reasoning !== true);
  return hides ? { hidesReasoning: true } : {};
}

/** Why a request's cost cannot be bounded, if so. */
function whyUnbounded(body: JsonObject, variant: OpenaiVariant): Pick<RequestFacts, 'unbounded'> {
  for (const name of ['background', 'deferred']) if (isOn(body[name])) return { unbounded: name };
  const tier = optionalString(body, 'service_tier');
  const standard = ['auto', 'default', 'standard', ...(variant.standardTiers ?? [])];
  return tier === undefined || standard.includes(tier)
    ? {}
    : { unbounded: `service_tier "${tier.slice(0, 32)}"` };
}
