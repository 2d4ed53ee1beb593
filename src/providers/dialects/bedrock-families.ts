import type { Frame } from '../../streams/frame.ts';
import { stepwise } from '../../turns.ts';
import type { Work } from '../../turns.ts';
import type { JsonObject, OutputLimit, StreamEvent } from '../provider.ts';
import {
  createStreamReader as createAnthropicReader,
  readAnswer as readAnthropicAnswer,
} from './anthropic-answer.ts';
import {
  outputLimit as anthropicLimit,
  readMessages as readAnthropicMessages,
} from './anthropic-messages.ts';
import { askedOutputs } from './asked-outputs.ts';
import { readAnswer as readConverseAnswer, readEvent } from './bedrock-answer.ts';
import { readBlocks, readMessages } from './bedrock-content.ts';
import { outputLimit as converseLimit, readTools } from './bedrock-converse.ts';
import {
  cohereEmbed,
  cohereRerank,
  countAt,
  deepseekPrompt,
  facts,
  llama,
  mistralPrompt,
  titanEmbed,
  titanText,
} from './bedrock-prompts.ts';
import type { InvokeFamily } from './bedrock-prompts.ts';
import { createV1Reader as createCohereReader } from './cohere-answer.ts';
import { cohereChatV1 } from './cohere-chat.ts';
import { objectOf, optionalArray, parseJson } from './fields.ts';
import { isObject } from '../../json/is-object.ts';
import { addTextsIn, createGathered } from './json-text.ts';
import { openaiChat } from './openai-chat.ts';
import { createChoiceReader } from './openai-choices.ts';
import { thinkingTokens } from './thinking-tokens.ts';

/**
 * The family of a model id, or undefined where its body format is not known. Cross-region prefixes (`us.`,
 * `eu.`, `global.` …) are looked through; an ARN that names no model is read as Anthropic's if its body says so.
 */
export function familyOf(model: string): InvokeFamily | undefined {
  if (model.startsWith('arn:')) return anthropicByBody;
  const name = model.replace(/^(us|us-gov|eu|apac|jp|au|ca|sa|me|af|il|mx|global)\./, '');
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
}

const anthropic: InvokeFamily = {
  name: 'anthropic',
  request: (body, endpoint) => ({
    ...readAnthropicMessages(body, endpoint.model ?? ''),
    output: anthropicLimit(body),
  }),
  answer: readAnthropicAnswer,
  createReader: createAnthropicReader,
};

const anthropicByBody: InvokeFamily = { ...anthropic, name: 'anthropic-by-body' };

const nova: InvokeFamily = {
  name: 'nova',
  request(body, endpoint) {
    const into = createGathered();
    if (body.system !== undefined) readBlocks(into, 'system', body.system, ['system']);
    readMessages(into, optionalArray(body, 'messages'), ['messages']);
    const definition = { role: 'system', kind: 'tool_definition' } as const;
    addTextsIn(into, definition, objectOf(body.toolConfig).tools, ['toolConfig', 'tools']);
    const { names, providerTools } = readTools(into, body);
    return {
      ...facts(into, endpoint),
      tools: names,
      providerTools,
      output: novaLimit(body),
      ...askedOutputs(body, body.inferenceConfig),
      ...thinkingTokens(body, body.inferenceConfig),
    };
  },
  answer: readConverseAnswer,
  createReader: () => ({
    read: stepwise(function* (frame: Frame): Work<StreamEvent> {
      const json = parseJson(frame.data);
      const event = objectOf(json);
      const name = Object.keys(event).find((member) => isObject(event[member])) ?? '';
      return { frame, json, ...(yield* readEvent(name, objectOf(event[name]), [name], false)) };
    }),
  }),
};

/** Nova takes the limit under a new and an old name; where a client sets both, the higher may be billed. */
function novaLimit(body: JsonObject): OutputLimit {
  const limits = [converseLimit(body), countAt(body, 'inferenceConfig', 'max_new_tokens')];
  const set = limits.filter(({ tokens }) => tokens !== undefined);
  const [only = converseLimit(body)] = set;
  if (set.length < 2) return only;
  return {
    tokens: Math.max(...set.map(({ tokens = 0 }) => tokens)),
    set: (tokens) => set.flatMap((limit) => limit.set(Math.min(tokens, limit.tokens ?? tokens))),
  };
}

const cohereCommand: InvokeFamily = {
  name: 'cohere-command',
  // The chat body of Cohere's own v1, without its model.
  request: (body, endpoint) => cohereChatV1.request({ ...body, model: endpoint.model ?? '' }, endpoint),
  answer: cohereChatV1.answer,
  createReader: createCohereReader,
};

/** A family that takes OpenAI's chat body, with its output limit in these members. */
function chatFamily(...limitFields: [string, ...string[]]): InvokeFamily {
  const chat = openaiChat({ limitFields, asksUsage: false });
  return {
    name: 'openai-style',
    request: (body, endpoint) => chat.request(body, endpoint),
    answer: chat.answer,
    createReader: createChoiceReader,
  };
}

/** First match wins. */
const FAMILIES: readonly (readonly [RegExp, InvokeFamily])[] = [
  [/^anthropic\.claude-(?!instant|v2|v1)/, anthropic],
  [/^amazon\.nova-(?!canvas|reel|sonic|2-sonic|multimodal)/, nova],
  [/^amazon\.titan-text-/, titanText],
  [/^amazon\.titan-embed-(text|g1|image)/, titanEmbed],
  [/^meta\.llama/, llama],
  [/^mistral\.(mistral-7b|mixtral|mistral-small-2402|mistral-large-2402)/, mistralPrompt],
  [/^openai\./, chatFamily('max_completion_tokens', 'max_tokens')],
  [/^(mistral|qwen|moonshot|moonshotai|minimax|zai|nvidia|deepseek(?!\.r1))\./, chatFamily('max_tokens')],
  [/^deepseek\.r1/, deepseekPrompt],
  [/^cohere\.command-r/, cohereCommand],
  [/^cohere\.embed-/, cohereEmbed],
  [/^cohere\.rerank-/, cohereRerank],
];
