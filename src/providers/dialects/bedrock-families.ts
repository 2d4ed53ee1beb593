import { anthropicAnswers } from './anthropic-answer.ts';
import { readAnthropicChat } from './anthropic-messages.ts';
import { requestedOutputs } from './requested-outputs.ts';
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
import { namesIn, objectOf, optionalArray } from './fields.ts';
import { addTextsIn, createGathered, gatheredFacts } from './json-text.ts';
import { addBodyMember } from './media.ts';
import { openaiChat } from './openai-chat.ts';
import { choiceAnswers } from './openai-choices.ts';
import { thinkingTokens } from './thinking-tokens.ts';

/**
 * Returns the family of a model id, or undefined if its body format is unknown. Ignores cross-region prefixes (`us.`,
 * `eu.`, `global.` …). Treats an ARN as Anthropic, but then the body must confirm it.
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

const NOVA_READ = namesIn('system messages toolConfig schemaVersion');

const nova: InvokeFamily = {
  name: 'nova',
  request(body, endpoint) {
    const into = createGathered();
    if (body.system !== undefined) readBlocks(into, 'system', body.system, ['system']);
    readMessages(into, optionalArray(body, 'messages'), ['messages']);
    const definition = { role: 'system', kind: 'tool_definition' } as const;
    addTextsIn(into, definition, objectOf(body.toolConfig).tools, ['toolConfig', 'tools']);
    for (const [name, value] of Object.entries(body)) {
      if (!NOVA_READ.has(name)) addBodyMember(into, { role: 'system', kind: 'text' }, name, value);
    }
    const { names, hostedTools } = readConverseTools(into, body);
    return {
      ...gatheredFacts(into, [endpoint.model ?? '']),
      tools: names,
      hostedTools,
      output: converseLimit(body),
      ...requestedOutputs(body, body.inferenceConfig),
      ...thinkingTokens(body, body.inferenceConfig),
    };
  },
  ...novaAnswers,
};

const cohereCommand: InvokeFamily = {
  name: 'cohere-command',
  // Cohere's own v1 chat body without its model.
  request: (body, endpoint) => cohereChatV1.request({ ...body, model: endpoint.model ?? '' }, endpoint),
  ...cohereV1Answers,
};

/** A family with OpenAI's chat body and these output limit members. */
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
