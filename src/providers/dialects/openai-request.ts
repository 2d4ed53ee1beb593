import { GatewayError } from '../../errors.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { Endpoint } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { OutputLimit, RequestFacts } from '../request-facts.ts';
import { isSet, outputsOfBody, storedPrompt, thinkingTokensOfBody } from './settings.ts';
import {
  namesIn,
  objectOf,
  optionalArray,
  optionalBoolean,
  optionalObject,
  optionalPositive,
  optionalString,
  refuseOtherCase,
  requiredString,
} from './fields.ts';
import { ROLE, type PromptCollector } from './prompt-collector.ts';
import { addBodyMember, mediumNamed } from './media.ts';
import type { ChoiceVariant } from './openai-choices.ts';
import { readParts } from './openai-parts.ts';
import { readToolSwitches, SWITCHES, toolFacts, type ToolOffer } from './openai-tools.ts';

/** Differences between a provider's requests and OpenAI's. */
export interface OpenaiVariant extends ChoiceVariant {
  /** Members that limit output at this provider, the preferred one first. The provider ignores all others. */
  readonly limitFields: readonly [string, ...string[]];
  /** False if streams report usage by default, or the provider rejects `stream_options`. */
  readonly asksUsage: boolean;
  /** Service tiers at the standard price, in addition to `auto` and `default`. */
  readonly standardTiers?: readonly string[];
  /** The list-price tier, for requests whose tier an account setting would otherwise choose. */
  readonly pinnedTier?: { readonly chat: string; readonly responses: string };
  /** The documented default output limit of `/completions`. */
  readonly completionsDefault?: number;
  /** OpenRouter: `models` lists fallbacks, `:online` requests web search, `@preset/` refers to stored prompts. */
  readonly routes?: boolean;
}

/** Members that steer the model without adding text. All others are read as text. */
const PARAMETERS = namesIn(
  'model models stream stream_options n best_of max_tokens max_completion_tokens max_output_tokens min_tokens',
  'temperature top_p top_k min_p frequency_penalty presence_penalty repetition_penalty seed random_seed stop',
  'logprobs top_logprobs logit_bias echo user safety_identifier prompt_cache_key prompt_cache_retention',
  'prompt_cache_options metadata store service_tier tool_choice parallel_tool_calls reasoning_effort verbosity',
  'modalities audio background include truncation max_tool_calls previous_response_id conversation',
  'provider route preset transforms encoding_format dimensions top_n return_documents keep_alive think safe_prompt',
);

export type MemberReaders = Readonly<Record<string, (value: unknown) => void>>;

/** Reads members in order: those in `readers` by their reader, others except parameters as text or media. */
export function readMembers(into: PromptCollector, body: JsonObject, readers: MemberReaders): void {
  refuseOtherCase(body, (name) => PARAMETERS.has(name) || SWITCHES.has(name) || Object.hasOwn(readers, name));
  for (const [name, value] of Object.entries(body)) {
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read !== undefined) read(value);
    else if (!PARAMETERS.has(name) && (typeof value === 'string' || typeof value === 'object')) {
      if (mediumNamed(name) === undefined) addBodyMember(into, name, value);
      else readParts(into, ROLE.userText, { [name]: value }, []);
    }
  }
}

export interface RequestedModels {
  /** The requested model, then its possible fallbacks. */
  readonly names: readonly string[];
  /** The web search requested by `:online` in a model name. */
  readonly online: readonly ToolOffer[];
  /** Whether a prompt stored at the router is used. */
  readonly preset: boolean;
}

const ONLINE = /:online(?=:|$)/;
const EVERY_ONLINE = new RegExp(ONLINE, 'g');

export function readModels(body: JsonObject, endpoint: Endpoint, variant: OpenaiVariant): RequestedModels {
  const model = endpoint.model ?? requiredString(body, 'model');
  if (variant.routes !== true) return { names: [model], online: [], preset: false };

  const fallbacks = (optionalArray(body, 'models') ?? []).map((name) => {
    if (typeof name === 'string') return name;
    throw new GatewayError('invalid_request', 'The request\'s "models" must be an array of strings.');
  });
  const named = [model, ...fallbacks];
  const remove = named.flatMap((name, index): JsonEdit[] => {
    if (!ONLINE.test(name)) return [];
    const path = index === 0 ? ['model'] : ['models', index - 1];
    return [{ kind: 'set', path, value: withoutOnline(name) }];
  });
  return {
    names: named.map(withoutOnline),
    online: remove.length === 0 ? [] : [{ type: ':online', name: ':online', clientRun: false, remove }],
    preset: optionalString(body, 'preset') !== undefined || named.some((name) => /@preset\//i.test(name)),
  };
}

function withoutOnline(model: string): string {
  return model.replaceAll(EVERY_ONLINE, '');
}

interface RequestSettings {
  readonly models: RequestedModels;
  readonly offers: readonly ToolOffer[];
  readonly variant: OpenaiVariant;
  readonly toolChoice: unknown;
}

export function bodyFacts(into: PromptCollector, body: JsonObject, settings: RequestSettings): RequestFacts {
  const { names, online, preset } = settings.models;
  const offers = [...settings.offers, ...readToolSwitches(body, names), ...online];
  return {
    ...into.facts(names),
    stream: optionalBoolean(body, 'stream'),
    ...toolFacts(offers, settings.toolChoice),
    unseenContent: into.unseenContent || preset || continuesConversation(body),
    ...(preset && { unbounded: 'preset' }),
    ...outputsOfBody(body),
    ...thinkingTokensOfBody(body),
    ...storedPrompt(body, names),
    ...whyUnbounded(body, settings.variant),
    ...hidesReasoning(body),
  };
}

function continuesConversation(body: JsonObject): boolean {
  const isNamed = body.conversation !== undefined && body.conversation !== null;
  return isNamed || optionalString(body, 'previous_response_id') !== undefined;
}

export function choiceFacts(into: PromptCollector, body: JsonObject, settings: RequestSettings) {
  return {
    ...bodyFacts(into, body, settings),
    choices: Math.max(...CHOICE_NAMES.map((name) => optionalPositive(body, name) ?? 1)),
    output: readOutputLimit(body, settings.variant.limitFields),
    ...askUsage(body, settings.variant),
  };
}

/** OpenAI's names for the output limit, and others that compatible engines accept. */
const LIMIT_NAMES = [
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
  ...['max_new_tokens', 'n_predict', 'num_predict', 'max_gen_len', 'max_tokens_to_sample', 'max_length'],
  ...['maxTokens', 'maxOutputTokens', 'maxNewTokens', 'max_generated_tokens'],
];
/** Members that set the number of answers to return, or to generate and choose from. */
const CHOICE_NAMES = [
  ...['n', 'best_of', 'n_cmpl', 'num_generations', 'num_return_sequences', 'num_choices', 'num_beams'],
  ...['candidate_count', 'candidateCount', 'beam_width'],
];

/**
 * Reads the output limit. If the client sets an effective member, the highest of all members that it sets may be
 * billed. Members that this provider ignores are not limits by themselves, but they still cap grants and are never left
 * above a grant, because the provider may start to support their names at any time.
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

/** Returns the edit that selects the list-price tier if the client leaves the choice to the provider. */
export function pinTier(body: JsonObject, tier: string | undefined): Pick<RequestFacts, 'pinTier'> {
  const requested = body.service_tier;
  const leftOpen = requested === undefined || requested === null || requested === 'auto';
  return tier !== undefined && leftOpen ? { pinTier: [setMember('service_tier', tier)] } : {};
}

function setMember(name: string, value: number | string): JsonEdit {
  return { kind: 'set', path: [name], value };
}

/** Returns the edits that make a stream report its usage, if it does not by default. */
function askUsage(body: JsonObject, variant: OpenaiVariant): Pick<RequestFacts, 'askUsage'> {
  const options = optionalObject(body, 'stream_options');
  if (!optionalBoolean(body, 'stream') || !variant.asksUsage || options?.include_usage === true) return {};
  return { askUsage: [{ kind: 'set', path: ['stream_options', 'include_usage'], value: true }] };
}

/** Marks requests whose answer omits the model's reasoning, which is still billed. */
function hidesReasoning(body: JsonObject): Pick<RequestFacts, 'hidesReasoning'> {
  const hides =
    isSet(objectOf(body.reasoning).exclude) ||
    body.reasoning_format === 'hidden' ||
    (body.include_reasoning !== undefined && body.include_reasoning !== true);
  return hides ? { hidesReasoning: true } : {};
}

function whyUnbounded(body: JsonObject, variant: OpenaiVariant): Pick<RequestFacts, 'unbounded'> {
  for (const name of ['background', 'deferred']) if (isSet(body[name])) return { unbounded: name };
  const tier = optionalString(body, 'service_tier');
  const standard = ['auto', 'default', 'standard', ...(variant.standardTiers ?? [])];
  return tier === undefined || standard.includes(tier)
    ? {}
    : { unbounded: `service_tier "${tier.slice(0, 32)}"` };
}
