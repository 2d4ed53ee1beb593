import type { JsonObject, OutputLimit } from '../provider.ts';
import { anthropicAnswers } from './anthropic-answer.ts';
import { readAnthropicChat } from './anthropic-messages.ts';
import { askedOutputs } from './asked-outputs.ts';
import { novaAnswers } from './bedrock-answer.ts';
import { readBlocks, readMessages } from './bedrock-content.ts';
import { converseLimit, readConverseTools } from './bedrock-converse.ts';
import {
  cohereEmbedFamily,
  cohereRerankFamily,
  deepseekPrompt,
  llama,
  mistralPrompt,
  titanEmbed,
  titanText,
  type InvokeFamily,
} from './bedrock-prompts.ts';
import { cohereV1Answers } from './cohere-answer.ts';
import { cohereChatV1 } from './cohere-chat.ts';
import { limitAt, objectOf, optionalArray } from './fields.ts';
import { addTextsIn, createGathered, gatheredFacts } from './json-text.ts';
import { openaiChat } from './openai-chat.ts';
import { choiceAnswers } from './openai-choices.ts';
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
  request: (body, endpoint) => readAnthropicChat(body, endpoint.model ?? ''),
  ...anthropicAnswers,
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
    const { names, hostedTools } = readConverseTools(into, body);
    return {
      ...gatheredFacts(into, [endpoint.model ?? '']),
      tools: names,
      hostedTools,
      output: novaLimit(body),
      ...askedOutputs(body, body.inferenceConfig),
      ...thinkingTokens(body, body.inferenceConfig),
    };
  },
  ...novaAnswers,
};

/** Nova takes the limit under a new and an old name; where a client sets both, the higher may be billed. */
function novaLimit(body: JsonObject): OutputLimit {
  const limits = [converseLimit(body), limitAt(body, 'inferenceConfig', 'max_new_tokens')];
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
  ...cohereV1Answers,
};

/** A family that takes OpenAI's chat body, with its output limit in these members. */
function chatFamily(...limitFields: [string, ...string[]]): InvokeFamily {
  const chat = openaiChat({ limitFields, asksUsage: false });
  return {
    name: 'openai-style',
    request: (body, endpoint) => chat.request(body, endpoint),
    ...choiceAnswers(),
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
  [/^cohere\.embed-/, cohereEmbedFamily],
  [/^cohere\.rerank-/, cohereRerankFamily],
];
