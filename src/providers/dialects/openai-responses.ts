import { addAll } from '../../add-all.ts';
import type { JsonPath } from '../../json/path.ts';
import type { Dialect, Endpoint } from '../dialect.ts';
import type { PromptText, RequestFacts } from '../request-facts.ts';
import { FREE_ANSWERS } from './answer-reader.ts';
import { arrayOf, namesIn, objectOf, requiredObject } from './fields.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { PromptCollector, ROLE, type TextRole } from './prompt-collector.ts';
import { addUnknown } from './media.ts';
import { readParts } from './openai-parts.ts';
import {
  bodyFacts,
  pinTier,
  readMembers,
  readModels,
  readOutputLimit,
  type OpenaiVariant,
} from './openai-request.ts';
import { responsesAnswers } from './openai-responses-answer.ts';
import { readToolList, type ToolOffer } from './openai-tools.ts';

export function openaiResponses(variant: OpenaiVariant): Dialect {
  const here: OpenaiVariant = { ...variant, limitFields: ['max_output_tokens'] };
  return {
    name: 'openai-responses',
    hasBody: true,
    request(body, endpoint) {
      return {
        ...readRequest(body, endpoint, here),
        output: readOutputLimit(body, here.limitFields),
        ...pinTier(body, here.pinnedTier?.responses),
      };
    },
    ...responsesAnswers,
  };
}

/** `POST …/responses/compact`: returns a summary of the items, of unlimited length. */
export function openaiCompact(variant: OpenaiVariant): Dialect {
  return {
    name: 'openai-compact',
    hasBody: true,
    request(body, endpoint) {
      const output = { tokens: undefined, set: () => [] };
      return { ...readRequest(body, endpoint, variant), output, unbounded: 'compaction has no output limit' };
    },
    ...responsesAnswers,
  };
}

/** `POST …/responses/input_tokens`: the same body without output, free of charge. */
export function openaiInputTokens(variant: OpenaiVariant): Dialect {
  return {
    name: 'openai-input-tokens',
    hasBody: true,
    request: (body, endpoint) => readRequest(body, endpoint, variant),
    ...FREE_ANSWERS,
  };
}

function readRequest(body: JsonObject, endpoint: Endpoint, variant: OpenaiVariant): RequestFacts {
  const models = readModels(body, endpoint, variant);
  const into = new PromptCollector();
  const offers: ToolOffer[] = [];
  readMembers(into, body, {
    instructions: (value) => readInputItems(into, offers, value, ['instructions'], 'system'),
    input: (value) => readInputItems(into, offers, value, ['input'], 'user'),
    tools: (value) => {
      addAll(offers, readToolList(into, value, ['tools'], isClientRun));
    },
    prompt: (value) => {
      if (value === null) return;
      into.unseenContent = true;
      const { variables } = requiredObject(value, 'prompt');
      readParts(into, ROLE.userText, variables, ['prompt', 'variables']);
    },
  });
  return {
    ...(arrayOf(body.context_management).length > 0 && { unbounded: 'context_management' }),
    ...bodyFacts(into, body, { models, offers, variant, toolChoice: body.tool_choice }),
  };
}

/**
 * Tool types that the client always runs. Others depend on their settings (`isClientRun`), or are run by the provider
 * (docs/hosted-tools.md).
 */
const CLIENT_RUN: ReadonlySet<unknown> = new Set([
  'function',
  'custom',
  'computer',
  'computer_use_preview',
  'local_shell',
  'apply_patch',
]);

function isClientRun(tool: JsonObject): boolean {
  if (CLIENT_RUN.has(tool.type)) return true;
  if (tool.type === 'shell') return objectOf(tool.environment).type === 'local';
  if (tool.type === 'tool_search') return tool.execution === 'client';
  // A namespace groups tools. The client runs it if it runs all of them.
  return tool.type === 'namespace' && arrayOf(tool.tools).every((inner) => isClientRun(objectOf(inner)));
}

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant']);

/** Reads a string, or items: messages, calls and their outputs, reasoning, references, tool definitions. */
function readInputItems(
  into: PromptCollector,
  offers: ToolOffer[],
  value: unknown,
  path: JsonPath,
  role: PromptText['role'],
): void {
  if (typeof value === 'string') return into.addText({ role, kind: 'text' }, value, path);
  arrayOf(value).forEach((item, index) => {
    readItem(into, offers, requiredObject(item, String(path[0])), [...path, index], role);
  });
}

function readItem(
  into: PromptCollector,
  offers: ToolOffer[],
  item: JsonObject,
  path: JsonPath,
  defaultRole: PromptText['role'],
): void {
  const type = typeof item.type === 'string' ? item.type : 'message';
  const isTyped = item.type !== undefined && item.type !== null;
  // Container files and stored images are referenced by id.
  if (
    type === 'item_reference' ||
    type === 'image_generation_call' ||
    typeof item.container_id === 'string' ||
    (!isTyped && item.content === undefined)
  ) {
    into.unseenContent = true;
  }
  for (const [name, member] of Object.entries(item)) {
    if (NOT_TEXT.has(name)) continue;
    const at = [...path, name];
    if (name === 'tools' && TOOL_ITEMS.has(type)) {
      addAll(offers, readToolList(into, member, at, isClientRun));
      continue;
    }
    const place = itemRole(type, item, defaultRole);
    if (place.kind === 'tool_arguments') addUnknown(into, place, member, at);
    else readParts(into, place, member, at);
  }
  if (isObject(item.environment) && item.environment.type === 'container_reference')
    into.unseenContent = true;
}

const NOT_TEXT = namesIn('type id role status call_id caller execution');
/** Items that add tool definitions mid-conversation. */
const TOOL_ITEMS: ReadonlySet<string> = new Set(['additional_tools', 'tool_search_output']);

function itemRole(type: string, item: JsonObject, defaultRole: PromptText['role']): TextRole {
  if (type === 'message') {
    return { role: ROLES.has(item.role) ? (item.role as PromptText['role']) : defaultRole, kind: 'text' };
  }
  if (type === 'reasoning' || type === 'compaction') return { role: 'assistant', kind: 'reasoning' };
  if (type.endsWith('_output') || type === 'mcp_list_tools') return ROLE.toolResult;
  if (type.endsWith('_call')) return ROLE.toolArguments;
  return { role: defaultRole, kind: 'text' };
}
