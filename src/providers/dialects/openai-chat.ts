import { addAll } from '../../add-all.ts';
import type { JsonPath } from '../../json/path.ts';
import type { Dialect, Endpoint } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { PromptText, RequestFacts } from '../request-facts.ts';
import { arrayOf, namesIn, requiredArray, requiredObject } from './fields.ts';
import { PromptCollector } from './prompt-collector.ts';
import { choiceDialect } from './openai-choices.ts';
import { readParts } from './openai-parts.ts';
import { choiceFacts, pinTier, readMembers, readModels, type OpenaiVariant } from './openai-request.ts';
import { readToolList, type ToolOffer } from './openai-tools.ts';

export function openaiChat(variant: OpenaiVariant): Dialect {
  return choiceDialect('openai-chat', variant, (body, endpoint) => readChat(body, endpoint, variant));
}

function readChat(body: JsonObject, endpoint: Endpoint, variant: OpenaiVariant): RequestFacts {
  const models = readModels(body, endpoint, variant);
  requiredArray(body, 'messages');
  const into = new PromptCollector();
  const offers: ToolOffer[] = [];
  readMembers(into, body, {
    messages: (value) => readChatMessages(into, value),
    tools: (value) => {
      addAll(offers, readToolList(into, value, ['tools'], isClientRun));
    },
    functions: (value) => {
      addAll(
        offers,
        readToolList(into, value, ['functions'], () => true),
      );
    },
    prediction: (value) => readParts(into, { role: 'assistant', kind: 'text' }, value, ['prediction']),
    prompt_embeds: (value) => {
      if (value !== null) into.addEncodedPrompt(['prompt_embeds']);
    },
  });
  return {
    ...choiceFacts(into, body, { models, offers, variant, toolChoice: body.tool_choice }),
    ...predicted(body),
    ...pinTier(body, variant.pinnedTier?.chat),
  };
}

/** Bounds predicted tokens by bytes, because a token has at least one byte (platform.openai.com, predicted outputs). */
function predicted({ prediction }: JsonObject): Pick<RequestFacts, 'predictedTokens'> {
  if (prediction === undefined || prediction === null) return {};
  return { predictedTokens: Buffer.byteLength(JSON.stringify(prediction)) };
}

/** Mistral clients may omit the type of a function. */
function isClientRun(tool: JsonObject): boolean {
  if (tool.type === 'function' || tool.type === 'custom') return true;
  return (tool.type === undefined || tool.type === null) && tool.function !== undefined;
}

const ROLES: ReadonlyMap<unknown, PromptText['role']> = new Map([
  ['system', 'system'],
  ['developer', 'developer'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

const REASONING = namesIn('reasoning reasoning_content reasoning_details thinking');

export function readChatMessages(into: PromptCollector, messages: unknown): void {
  arrayOf(messages).forEach((message, index) => readChatMessage(into, message, ['messages', index]));
}

function readChatMessage(into: PromptCollector, value: unknown, path: JsonPath): void {
  const message = requiredObject(value, 'messages');
  const role = ROLES.get(message.role) ?? 'user';
  const place = { role, kind: role === 'tool' ? 'tool_result' : 'text' } as const;
  for (const [name, member] of Object.entries(message)) {
    const at = [...path, name];
    if (name === 'role' || name === 'tool_call_id' || name === 'id') continue;
    if (name === 'tool_calls') readCalls(into, role, member, at);
    else if (name === 'function_call') into.addTextsIn({ role, kind: 'tool_arguments' }, member, at);
    else if (REASONING.has(name)) readParts(into, { role, kind: 'reasoning' }, member, at);
    else if (name === 'audio') readEarlierAudio(into, member);
    else
      readParts(into, place, name === 'images' ? { images: member } : member, name === 'images' ? path : at);
  }
}

/** Reads an earlier audio turn, which is sent by id and billed as audio again. */
function readEarlierAudio(into: PromptCollector, value: unknown): void {
  if (value === undefined || value === null) return;
  into.unseenContent = true;
  into.media.push({ kind: 'audio', source: 'id' });
}

/** Reads calls, except for the ids, types and indexes that the provider assigns. */
function readCalls(into: PromptCollector, role: PromptText['role'], value: unknown, path: JsonPath): void {
  if (!Array.isArray(value)) return;
  value.forEach((item, index) => {
    for (const [name, member] of Object.entries(requiredObject(item, 'tool_calls'))) {
      if (name === 'id' || name === 'type' || name === 'index') continue;
      into.addTextsIn({ role, kind: 'tool_arguments' }, member, [...path, index, name]);
    }
  });
}
