import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { Dialect } from '../dialect.ts';
import type { OutputLimit, PromptText, RequestFacts } from '../request-facts.ts';
import { anthropicAnswers } from './anthropic-answer.ts';
import { readAnthropicContent } from './anthropic-content.ts';
import { readAnthropicTools } from './anthropic-tools.ts';
import { FREE_ANSWERS } from './answer-reader.ts';
import {
  arrayOf,
  namesIn,
  objectOf,
  optionalBoolean,
  optionalCount,
  optionalString,
  refuseOtherCase,
  requiredArray,
  requiredObject,
  requiredString,
} from './fields.ts';
import { PromptCollector } from './prompt-collector.ts';
import { addOtherMembers } from './media.ts';
import { storedPrompt, thinkingTokens } from './settings.ts';

/** `POST /v1/messages`. */
export const anthropicMessages: Dialect = {
  name: 'anthropic-messages',
  hasBody: true,
  request: (body) => readAnthropicChat(body, requiredString(body, 'model')),
  ...anthropicAnswers,
};

/** `POST /v1/messages/count_tokens`: the same body without output, free of charge. */
export const anthropicCountTokens: Dialect = {
  name: 'anthropic-count-tokens',
  hasBody: true,
  request: (body) => readBody(body, requiredString(body, 'model')),
  ...FREE_ANSWERS,
};

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system']);

/** Reads a messages body. Bedrock names the model in the path instead of the body. */
export function readAnthropicChat(body: JsonObject, model: string): RequestFacts {
  return { ...readBody(body, model), output: outputLimit(body) };
}

function readBody(body: JsonObject, model: string): RequestFacts {
  const into = new PromptCollector();
  readAnthropicContent(into, 'system', body.system, ['system']);
  requiredArray(body, 'messages').forEach((value, index) => {
    const message = requiredObject(value, 'messages');
    const role = ROLES.has(message.role) ? (message.role as PromptText['role']) : 'user';
    readAnthropicContent(into, role, message.content, ['messages', index, 'content']);
  });
  refuseOtherCase(body, (name) => NOT_TEXT.has(name));
  addOtherMembers(into, body, (name) => NOT_TEXT.has(name));
  const { names, hostedTools } = readAnthropicTools(into, body);
  if (body.container !== undefined && body.container !== null) into.unseenContent = true;
  if (objectOf(body.thread).type === 'continue') into.unseenContent = true;
  const unbounded = whyUnbounded(body);
  return {
    ...into.facts([model, ...fallbackModels(body)]),
    stream: optionalBoolean(body, 'stream'),
    tools: names,
    hostedTools,
    ...thinkingTokens(body),
    ...storedPrompt(body, [model]),
    ...(unbounded === undefined ? {} : { unbounded }),
    ...(thinks(body) ? { hidesReasoning: true } : {}),
  };
}

/** Claude returns its thinking as a summary, or not at all. */
export function thinks(body: JsonObject): boolean {
  const { type } = objectOf(body.thinking);
  return type !== undefined && type !== 'disabled';
}

/** Members read elsewhere, or that steer the model without adding text to the prompt. */
const NOT_TEXT = namesIn(
  'model messages system tools tool_choice mcp_servers max_tokens stream stop_sequences temperature top_p top_k',
  'thinking metadata service_tier speed inference_geo container thread fallbacks fallback_credit_token',
  'billing_policy cache_control diagnostics user_profile_id workspace_id anthropic_version anthropic_beta',
);

/** Returns the models of server-side fallback. `default` is a model that only Anthropic knows. */
function fallbackModels(body: JsonObject): string[] {
  if (body.fallbacks === 'default') return ['default'];
  return arrayOf(body.fallbacks).map((fallback) =>
    requiredString(requiredObject(fallback, 'fallbacks'), 'model'),
  );
}

/** Members that may select a more expensive service, with their harmless values. */
const SERVICE_SETTINGS: readonly (readonly [string, ...string[]])[] = [
  ['service_tier', 'auto', 'standard_only'],
  ['speed', 'standard'],
  ['inference_geo', 'global'],
];

function whyUnbounded(body: JsonObject): string | undefined {
  for (const [name, ...usual] of SERVICE_SETTINGS) {
    const value = optionalString(body, name);
    if (value !== undefined && !usual.includes(value)) return `${name} "${value.slice(0, 32)}"`;
  }
  if (body.container !== undefined && body.container !== null) return 'container';
  if (body.fallbacks === 'default' || arrayOf(body.fallbacks).length > 0) return 'fallbacks';
  function compacts(edit: unknown) {
    const { type } = objectOf(edit);
    return typeof type === 'string' && type.startsWith('compact_');
  }
  if (isObject(body.compaction) || arrayOf(objectOf(body.context_management).edits).some(compacts)) {
    return 'compaction';
  }
  return undefined;
}

/** `max_tokens` limits thinking and answer together. */
function outputLimit(body: JsonObject): OutputLimit {
  return {
    tokens: optionalCount(body, 'max_tokens'),
    set: (tokens) => [{ kind: 'set', path: ['max_tokens'], value: tokens }],
  };
}
