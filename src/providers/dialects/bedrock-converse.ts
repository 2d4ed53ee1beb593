import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { Dialect, Endpoint } from '../dialect.ts';
import type { HostedTool, OutputLimit, RequestFacts } from '../request-facts.ts';
import { FREE_ANSWERS } from './answer-reader.ts';
import { requestedOutputs, storedPrompt, thinkingTokens } from './settings.ts';
import { thinks } from './anthropic-messages.ts';
import { readAnthropicTools } from './anthropic-tools.ts';
import { converseAnswers } from './bedrock-answer.ts';
import { readBlocks, readMessages } from './bedrock-content.ts';
import { limitAt, namesIn, objectOf, optionalArray, optionalObject, requiredObject } from './fields.ts';
import { PromptCollector, ROLE } from './prompt-collector.ts';
import { addOtherMembers } from './media.ts';

export const bedrockConverse: Dialect = {
  name: 'bedrock-converse',
  hasBody: true,
  request: (body, endpoint) => readConverse(body, endpoint, false),
  ...converseAnswers,
};

/** `POST /model/<id>/converse-stream`: the path requests streaming, not the body. */
export const bedrockConverseStream: Dialect = {
  ...bedrockConverse,
  name: 'bedrock-converse-stream',
  request: (body, endpoint) => readConverse(body, endpoint, true),
};

/** `POST /model/<id>/count-tokens`: a Converse request or an invoke body in Base64, free of charge. */
export const bedrockCountTokens: Dialect = {
  name: 'bedrock-count-tokens',
  hasBody: true,
  request(body, endpoint) {
    const into = new PromptCollector();
    const input = objectOf(body.input);
    const converse = objectOf(input.converse);
    readConversation(into, converse, ['input', 'converse']);
    const { invokeModel } = input;
    const path = ['input', 'invokeModel', 'body'];
    if (isObject(invokeModel)) {
      const encoded = typeof invokeModel.body === 'string' ? invokeModel.body : '';
      // The decoded body is read as text, including any media.
      into.addSealedText(ROLE.userText, Buffer.from(encoded, 'base64').toString(), path);
      into.undecoded = true;
    }
    return modelFacts(into, endpoint);
  },
  ...FREE_ANSWERS,
};

function modelFacts(into: PromptCollector, endpoint: Endpoint): RequestFacts {
  const model = endpoint.model ?? '';
  return {
    ...into.facts([model]),
    ...storedPrompt({}, [model]),
    unseenContent: into.unseenContent || isStoredPrompt(model),
  };
}

/** Reports whether a model is the ARN of a stored prompt, whose text and tools are not visible. */
function isStoredPrompt(model: string): boolean {
  return /^arn:[^:]*:bedrock:[^:]*:[^:]*:prompt\//.test(model);
}

export function readConversation(into: PromptCollector, body: JsonObject, path: readonly string[]): void {
  if (body.system !== undefined) readBlocks(into, 'system', body.system, [...path, 'system']);
  readMessages(into, optionalArray(body, 'messages'), [...path, 'messages']);
  const toolConfig = objectOf(body.toolConfig);
  into.addTextsIn(ROLE.toolDefinition, toolConfig.tools, [...path, 'toolConfig', 'tools']);
}

function readConverse(body: JsonObject, endpoint: Endpoint, stream: boolean): RequestFacts {
  const into = new PromptCollector();
  readConversation(into, body, []);
  readOtherMembers(into, body);
  const { names, hostedTools } = readConverseTools(into, body);
  const unbounded = whyUnbounded(body, endpoint.model ?? '');
  return {
    ...modelFacts(into, endpoint),
    stream,
    tools: names,
    hostedTools,
    output: converseLimit(body),
    ...requestedOutputs(body.inferenceConfig, body.additionalModelRequestFields),
    ...thinkingTokens(body.additionalModelRequestFields),
    ...(unbounded === undefined ? {} : { unbounded }),
    ...(thinks(objectOf(body.additionalModelRequestFields)) ? { hidesReasoning: true } : {}),
  };
}

/** Members that are read elsewhere, or that steer the model without adding prompt text. */
const NOT_TEXT = namesIn(
  'messages system toolConfig inferenceConfig guardrailConfig performanceConfig serviceTier',
  'requestMetadata additionalModelResponseFieldPaths',
);

/** Reads all other members as text, except tools in the additional fields, which `readConverseTools` reads. */
function readOtherMembers(into: PromptCollector, body: JsonObject): void {
  const { tools: _tools, ...additional } = objectOf(body.additionalModelRequestFields);
  const read = { ...body, additionalModelRequestFields: additional };
  addOtherMembers(into, read, (name) => NOT_TEXT.has(name));
}

/** Reads tools in `toolConfig`, and those passed through the additional fields in the model's own format. */
export function readConverseTools(into: PromptCollector, body: JsonObject) {
  const toolConfig = optionalObject(body, 'toolConfig') ?? {};
  const names: string[] = [];
  const providerRun: { type: string; index: number }[] = [];
  (optionalArray(toolConfig, 'tools') ?? []).forEach((value, index) => {
    for (const [member, tool] of Object.entries(requiredObject(value, 'toolConfig.tools'))) {
      const { name } = objectOf(tool);
      if (member === 'toolSpec') names.push(typeof name === 'string' ? name : '');
      else if (member !== 'cachePoint') {
        providerRun.push({ type: typeof name === 'string' ? name : member, index });
      }
    }
  });
  const choice = objectOf(toolConfig.toolChoice);
  const named = objectOf(choice.tool).name;
  const insistsOnAny = choice.any !== undefined && names.length === 0;
  const hostedTools = providerRun.map(({ type, index }): HostedTool => ({
    type,
    remove: [{ kind: 'remove', path: ['toolConfig', 'tools', index] }],
    forced: insistsOnAny || named === type,
  }));
  const additional = objectOf(body.additionalModelRequestFields);
  const more = readAnthropicTools(into, additional, ['additionalModelRequestFields']);
  return { names: [...names, ...more.names], hostedTools: [...hostedTools, ...more.hostedTools] };
}

function whyUnbounded(body: JsonObject, model: string): string | undefined {
  if (isStoredPrompt(model)) return 'a stored prompt';
  const { latency } = objectOf(body.performanceConfig);
  if (latency !== undefined && latency !== 'standard') return 'performanceConfig';
  const tier = objectOf(body.serviceTier).type;
  if (tier !== undefined && tier !== 'default' && tier !== 'flex') return 'serviceTier';
  if (isObject(body.guardrailConfig)) return 'guardrailConfig';
  if (raisesCost(body.additionalModelRequestFields)) return 'additionalModelRequestFields';
  return undefined;
}

/** Matches names that model families use for an output limit, a number of answers or a more expensive service. */
const COSTLY =
  /^(max_?((?=\w*token)\w+|gen_?len|length)|n|best_?of|num_?(generations|results|return\w*)|service_?tier|speed)$/i;

/** Reports whether additional fields could override the limits that the gateway reads and sets. */
function raisesCost(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(raisesCost);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([name, member]) => name !== 'tools' && (COSTLY.test(name) || raisesCost(member)),
  );
}

/** Reads `inferenceConfig.maxTokens`, and Nova's older name for it. If both are set, the higher may be billed. */
export function converseLimit(body: JsonObject): OutputLimit {
  const limits = ['maxTokens', 'max_new_tokens'].map((name) => limitAt(body, 'inferenceConfig', name));
  const set = limits.filter(({ tokens }) => tokens !== undefined);
  const [only = limitAt(body, 'inferenceConfig', 'maxTokens')] = set;
  if (set.length < 2) return only;
  return {
    tokens: Math.max(...set.map(({ tokens = 0 }) => tokens)),
    set: (tokens) => set.flatMap((limit) => limit.set(Math.min(tokens, limit.tokens ?? tokens))),
  };
}
