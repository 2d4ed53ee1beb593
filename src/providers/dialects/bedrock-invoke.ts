import { GatewayError } from '../../errors.ts';
import type { Frame } from '../../streams/frame.ts';
import { stepsOf, stepwise, type Work } from '../../turns.ts';
import type { Dialect, InnerPayload, StreamEvent, StreamReader, Usage } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { isException, novaAnswers } from './bedrock-answer.ts';
import {
  cohereEmbedFamily,
  cohereRerankFamily,
  deepseekPrompt,
  type InvokeFamily,
  llama,
  mistralPrompt,
  titanEmbed,
  titanText,
} from './bedrock-prompts.ts';
import { bedrockCut } from './error-frames.ts';
import { cacheApart, namesIn, objectOf, parseJson } from './fields.ts';
import { anthropicAnswers } from './anthropic-answer.ts';
import { readAnthropicChat } from './anthropic-messages.ts';
import { requestedOutputs, thinkingTokens } from './settings.ts';
import { converseLimit, readConversation, readConverseTools } from './bedrock-converse.ts';
import { cohereV1Answers } from './cohere-answer.ts';
import { cohereChatV1 } from './cohere-chat.ts';
import { PromptCollector } from './prompt-collector.ts';
import { addOtherMembers } from './media.ts';
import { openaiChat } from './openai-chat.ts';
import { choiceAnswers } from './openai-choices.ts';

/** Returns the dialect of `/invoke`, or of `/invoke-with-response-stream`; undefined for unknown model families. */
export function bedrockInvoke(model: string, stream: boolean): Dialect | undefined {
  const family = familyOf(model);
  if (family === undefined) return undefined;
  const { name } = family;
  return {
    name: `bedrock-invoke-${name}`,
    hasBody: true,
    request(body, endpoint) {
      if (name === 'anthropic-by-body') requireAnthropicBody(body);
      return { ...family.request(body, endpoint), stream };
    },
    answer: family.answer,
    stream: () => createInvokeReader(family),
  };
}

/** An application inference profile's ARN does not reveal its model, so the body must. */
function requireAnthropicBody(body: JsonObject): void {
  if (typeof body.anthropic_version === 'string') return;
  throw new GatewayError(
    'policy_denied',
    "This ARN does not reveal its model's body format. Use Converse, or the model id.",
  );
}

/** Matches the random padding with which Bedrock hides lengths from eavesdroppers. */
const PADDING = /^[A-Za-z0-9]{1,64}$/;

/**
 * Returns a reader for `chunk` events, which contain the family's JSON in Base64. The last one also has Bedrock's
 * metrics.
 */
function createInvokeReader(family: InvokeFamily): StreamReader {
  const reader = family.stream();
  let own: Usage | undefined;
  return {
    read: stepwise(function* (frame: Frame): Work<StreamEvent> {
      const outer = parseJson(frame);
      const { bytes, p } = objectOf(outer);
      if (typeof bytes !== 'string') {
        return {
          frame,
          json: outer,
          deltas: [],
          ...(isException(frame.event ?? '') ? { failed: true } : {}),
        };
      }
      const json = Buffer.from(bytes, 'base64').toString('utf8');
      const event = yield* stepsOf(reader.read, { raw: frame.raw, data: json });
      const pack: InnerPayload['pack'] = (changed) =>
        JSON.stringify({
          bytes: Buffer.from(changed).toString('base64'),
          ...(typeof p === 'string' && PADDING.test(p) && { p }),
        });
      const metrics = objectOf(event.json)['amazon-bedrock-invocationMetrics'];
      own = event.usage ?? own;
      const usage = metrics === undefined ? event.usage : settledUsage(objectOf(metrics), own);
      return {
        ...event,
        // Repacked to drop unknown members and invalid UTF-8.
        frame: { ...frame, data: pack(json) },
        inner: { json, pack },
        ...(usage === undefined ? {} : { usage }),
        ...(metrics === undefined ? {} : { done: true, ends: ['*'] }),
      };
    }),
    cut: bedrockCut,
  };
}

/**
 * Returns Bedrock's metrics if they contradict the family's own usage, and otherwise that usage, which is more
 * detailed.
 */
function settledUsage(metrics: JsonObject, own: Usage | undefined): Usage | undefined {
  const billed = cacheApart(
    metrics.inputTokenCount,
    metrics.outputTokenCount,
    metrics.cacheReadInputTokenCount,
    metrics.cacheWriteInputTokenCount,
  );
  const agree = billed?.inputTokens === own?.inputTokens && billed?.outputTokens === own?.outputTokens;
  return billed === undefined || agree ? own : billed;
}

/** Ignores cross-region prefixes (`us.`, `eu.`, `global.` …). ARNs count as Anthropic; the body must confirm it. */
function familyOf(model: string): InvokeFamily | undefined {
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
    const into = new PromptCollector();
    readConversation(into, body, []);
    addOtherMembers(into, body, (name) => NOVA_READ.has(name));
    const { names, hostedTools } = readConverseTools(into, body);
    return {
      ...into.facts([endpoint.model ?? '']),
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
  request: (body, endpoint) => cohereChatV1.request({ ...body, model: endpoint.model ?? '' }, endpoint),
  ...cohereV1Answers,
};

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
