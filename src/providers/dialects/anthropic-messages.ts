import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import type { Dialect } from '../dialect.ts';
import { FREE_ANSWERS } from './answer-reader.ts';
import { anthropicAnswers } from './anthropic-answer.ts';
import { readAnthropicTools } from './anthropic-tools.ts';
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
import { addMedium, addOtherMembers, addTextFile, addUnknown, isTextType } from './media.ts';
import { PromptCollector, ROLE, type TextRole } from './prompt-collector.ts';
import { storedPrompt, thinkingTokens } from './settings.ts';
import type { Media, OutputLimit, PromptText, RequestFacts } from '../request-facts.ts';

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

/** Reads a messages body. The model is a parameter, because Bedrock names it in the path. */
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

/** Reports whether thinking is enabled. Claude returns it only as a summary, or not at all. */
export function thinks(body: JsonObject): boolean {
  const { type } = objectOf(body.thinking);
  return type !== undefined && type !== 'disabled';
}

/** Members that are read elsewhere, or that steer the model without adding prompt text. */
const NOT_TEXT = namesIn(
  'model messages system tools tool_choice mcp_servers max_tokens stream stop_sequences temperature top_p top_k',
  'thinking metadata service_tier speed inference_geo container thread fallbacks fallback_credit_token',
  'billing_policy cache_control diagnostics user_profile_id workspace_id anthropic_version anthropic_beta',
);

/** Returns the server-side fallback models. `default` stands for a model that only Anthropic knows. */
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

type Role = PromptText['role'];

const CALLS: ReadonlySet<unknown> = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);

/** Reads `content` or `system`, including all strings in unknown blocks, so that none bypasses inspection. */
function readAnthropicContent(into: PromptCollector, role: Role, content: unknown, path: JsonPath): void {
  if (content === undefined || content === null) return;
  const place: TextRole = { role, kind: role === 'tool' ? 'tool_result' : 'text' };
  if (typeof content === 'string') {
    into.addText(place, content, path);
  } else if (Array.isArray(content)) {
    content.forEach((block, index) => {
      readBlock(into, place, requiredObject(block, 'content'), [...path, index]);
    });
  } else {
    addUnknown(into, place, content, path);
  }
}

function readBlock(into: PromptCollector, place: TextRole, block: JsonObject, path: JsonPath): void {
  const { type } = block;
  if (type === 'text') {
    into.addText(place, block.text, [...path, 'text']);
    into.addTextsIn(place, block.citations, [...path, 'citations']);
  } else if (type === 'image' || type === 'document') {
    readMedium(into, place, block, type, path);
  } else if (CALLS.has(type)) {
    into.addTextsIn(ROLE.toolArguments, block.input, [...path, 'input']);
  } else if (type === 'thinking') {
    const { thinking: text, signature } = block;
    into.addThought(place.role, { text, signature }, [...path, 'thinking']);
    // The signature contains the full thinking and is billed as input.
    into.addSealedText({ role: place.role, kind: 'reasoning' }, block.signature, [...path, 'signature']);
  } else if (type === 'redacted_thinking') {
    into.addSealedText({ role: place.role, kind: 'reasoning' }, block.data, [...path, 'data']);
  } else if (type === 'tool_result') {
    readAnthropicContent(into, 'tool', block.content, [...path, 'content']);
  } else if (type === 'container_upload') {
    into.unseenContent = true;
  } else {
    readOther(into, place, block, path);
  }
}

function readOther(into: PromptCollector, place: TextRole, block: JsonObject, path: JsonPath): void {
  const isResult = typeof block.type === 'string' && block.type.endsWith('_tool_result');
  const kind = isResult ? 'tool_result' : place.kind;
  const role = isResult ? 'tool' : place.role;
  addUnknown(into, { role, kind }, block, path);
  if (mentionsFile(block)) into.unseenContent = true;
}

function mentionsFile(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(mentionsFile);
  if (!isObject(value)) return false;
  return typeof value.file_id === 'string' || Object.values(value).some(mentionsFile);
}

function readMedium(
  into: PromptCollector,
  place: TextRole,
  block: JsonObject,
  kind: Media['kind'] & ('image' | 'document'),
  path: JsonPath,
): void {
  into.addText(place, block.title, [...path, 'title']);
  into.addText(place, block.context, [...path, 'context']);
  const source = requiredObject(block.source, `${kind}.source`);
  const at = [...path, 'source'];
  const mimeType = typeof source.media_type === 'string' ? { mimeType: source.media_type } : {};
  switch (source.type) {
    case 'text':
      into.addText(place, source.data, [...at, 'data']);
      break;
    case 'content':
      readAnthropicContent(into, place.role, source.content, [...at, 'content']);
      break;
    case 'base64':
      if (kind === 'document' && isTextType(mimeType.mimeType ?? '')) {
        addTextFile(into, kind, place, source.data, [...at, 'data']);
        break;
      }
      into.media.push({
        kind,
        source: 'inline',
        ...(typeof source.data === 'string' ? { data: source.data } : {}),
        ...mimeType,
      });
      break;
    case 'url':
      addMedium(into, place, { kind, isAddress: true }, source.url, [...at, 'url']);
      break;
    default:
      into.media.push({ kind, source: 'id', ...mimeType });
      into.unseenContent = true;
      addUnknown(into, place, source, at);
  }
}
