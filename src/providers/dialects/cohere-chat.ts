import type { JsonPath } from '../../json/path.ts';
import type { Dialect } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { HostedTool, PromptText, RequestFacts } from '../request-facts.ts';
import { cohereV1Answers, cohereV2Answers } from './cohere-answer.ts';
import {
  arrayOf,
  limitAt,
  namesIn,
  objectOf,
  optionalArray,
  optionalBoolean,
  optionalString,
  refuseOtherCase,
  requiredArray,
  requiredObject,
  requiredString,
} from './fields.ts';
import { PromptCollector, ROLE, type TextRole } from './prompt-collector.ts';
import { addOtherMembers, addMedium, addUnknown } from './media.ts';
import { thinkingTokens } from './settings.ts';

export const cohereChatV2: Dialect = {
  name: 'cohere-chat-v2',
  hasBody: true,
  request(body) {
    const into = new PromptCollector();
    requiredArray(body, 'messages').forEach((value, index) => {
      readV2Message(into, requiredObject(value, 'messages'), ['messages', index]);
    });
    addUnknown(into, ROLE.userText, body.documents, ['documents']);
    into.addTextsIn(ROLE.systemText, body.response_format, ['response_format']);
    const { names, hostedTools } = readV2Tools(into, body);
    return { ...chatFacts(into, body), tools: names, hostedTools };
  },
  ...cohereV2Answers,
};

export const cohereChatV1: Dialect = {
  name: 'cohere-chat-v1',
  hasBody: true,
  request(body) {
    const into = new PromptCollector();
    into.addText(ROLE.userText, requiredText(body, 'message'), ['message']);
    into.addText(ROLE.systemText, optionalString(body, 'preamble'), ['preamble']);
    (optionalArray(body, 'chat_history') ?? []).forEach((value, index) => {
      readV1Message(into, requiredObject(value, 'chat_history'), ['chat_history', index]);
    });
    addUnknown(into, ROLE.userText, body.documents, ['documents']);
    into.addTextsIn(ROLE.systemText, body.response_format, ['response_format']);
    addUnknown(into, ROLE.toolResult, body.tool_results, ['tool_results']);
    const tools = optionalArray(body, 'tools') ?? [];
    into.addTextsIn(ROLE.toolDefinition, tools, ['tools']);
    // Cohere stores the earlier turns under this id, so the gateway cannot see them.
    if (optionalString(body, 'conversation_id') !== undefined) into.unseenContent = true;
    return {
      ...chatFacts(into, body),
      tools: tools.map((tool) => cohereToolName(objectOf(tool))),
      hostedTools: connectors(body),
    };
  },
  ...cohereV1Answers,
};

/** Members that are read by name, or that steer the model without adding text. All others are read as text. */
const READ = namesIn(
  'model stream max_tokens messages documents response_format tools tool_choice thinking',
  'message preamble chat_history tool_results conversation_id connectors',
  'temperature p k seed stop_sequences frequency_penalty presence_penalty logprobs safety_mode strict_tools',
  'citation_options citation_quality prompt_truncation max_input_tokens search_queries_only force_single_step',
  'raw_prompting priority return_prompt return_prompt_tokens',
);

function chatFacts(into: PromptCollector, body: JsonObject): RequestFacts {
  refuseOtherCase(body, (name) => READ.has(name));
  addOtherMembers(into, body, (name) => READ.has(name));
  return {
    ...into.facts([requiredString(body, 'model')]),
    stream: optionalBoolean(body, 'stream'),
    output: limitAt(body, 'max_tokens'),
    ...thinkingTokens(body),
  };
}

/** Requires a string that may be empty, because v1 clients send an empty message with tool results. */
function requiredText(body: JsonObject, name: string): string {
  return optionalString(body, name) ?? requiredString(body, name);
}

const V2_ROLES: ReadonlyMap<unknown, PromptText['role']> = new Map([
  ['system', 'system'],
  ['developer', 'developer'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
]);

function readV2Message(into: PromptCollector, message: JsonObject, path: JsonPath): void {
  const role = V2_ROLES.get(message.role) ?? 'user';
  const place = { role, kind: role === 'tool' ? 'tool_result' : 'text' } as const;
  const { content } = message;
  if (Array.isArray(content)) {
    content.forEach((value, index) => {
      readV2Part(into, place, requiredObject(value, 'content'), [...path, 'content', index]);
    });
  } else {
    addUnknown(into, place, content, [...path, 'content']);
  }
  into.addText({ role, kind: 'reasoning' }, message.tool_plan, [...path, 'tool_plan']);
  into.addTextsIn(place, message.citations, [...path, 'citations']);
  arrayOf(message.tool_calls).forEach((call, index) => {
    const at = [...path, 'tool_calls', index, 'function', 'arguments'];
    into.addTextsIn(ROLE.toolArguments, objectOf(objectOf(call).function).arguments, at);
  });
}

function readV2Part(into: PromptCollector, place: TextRole, part: JsonObject, path: JsonPath): void {
  switch (part.type) {
    case 'text':
      into.addText(place, part.text, [...path, 'text']);
      break;
    case 'thinking':
      into.addText({ role: place.role, kind: 'reasoning' }, part.thinking, [...path, 'thinking']);
      break;
    case 'image_url':
      addCohereImage(into, place, part, path);
      break;
    default:
      addUnknown(into, place, part, path);
  }
}

/** Reads an image given as a URL string, or as an object with `url`. */
export function addCohereImage(
  into: PromptCollector,
  place: TextRole,
  part: JsonObject,
  path: JsonPath,
): void {
  const { image_url: image } = part;
  const isNested = typeof image !== 'string';
  const at = [...path, 'image_url'];
  const url = isNested ? objectOf(image).url : image;
  addMedium(into, place, { kind: 'image', isAddress: true }, url, isNested ? [...at, 'url'] : at);
}

function readV2Tools(into: PromptCollector, body: JsonObject) {
  const names: string[] = [];
  const others: { type: string; index: number }[] = [];
  (optionalArray(body, 'tools') ?? []).forEach((value, index) => {
    const tool = requiredObject(value, 'tools');
    into.addTextsIn(ROLE.toolDefinition, tool, ['tools', index]);
    if (tool.type === undefined || tool.type === 'function')
      names.push(cohereToolName(objectOf(tool.function)));
    else others.push({ type: typeof tool.type === 'string' ? tool.type : 'unknown', index });
  });
  const forced = body.tool_choice === 'REQUIRED' && names.length === 0;
  const hostedTools = others.map(({ type, index }): HostedTool => ({
    type,
    remove: [{ kind: 'remove', path: ['tools', index] }],
    forced,
  }));
  return { names, hostedTools };
}

const V1_ROLES: ReadonlyMap<unknown, PromptText['role']> = new Map([
  ['CHATBOT', 'assistant'],
  ['SYSTEM', 'system'],
  ['TOOL', 'tool'],
]);

function readV1Message(into: PromptCollector, message: JsonObject, path: JsonPath): void {
  const role = V1_ROLES.get(message.role) ?? 'user';
  addUnknown(into, { role, kind: 'text' }, message.message, [...path, 'message']);
  into.addTextsIn(ROLE.toolArguments, message.tool_calls, [...path, 'tool_calls']);
  addUnknown(into, ROLE.toolResult, message.tool_results, [...path, 'tool_results']);
}

/** Connectors run at Cohere and fetch data from the web or the customer's data stores. */
function connectors(body: JsonObject): HostedTool[] {
  const list = optionalArray(body, 'connectors') ?? [];
  if (list.length === 0) return [];
  return [{ type: 'connectors', remove: [{ kind: 'remove', path: ['connectors'] }], forced: false }];
}

function cohereToolName(tool: JsonObject): string {
  return typeof tool.name === 'string' ? tool.name : '';
}
