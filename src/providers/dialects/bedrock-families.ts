import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import type {
  AnswerFacts,
  AnswerText,
  Dialect,
  Endpoint,
  JsonObject,
  OutputLimit,
  RequestFacts,
  StreamEvent,
  StreamReader,
  Usage,
} from '../provider.ts';
import {
  createStreamReader as createAnthropicReader,
  readAnswer as readAnthropicAnswer,
} from './anthropic-answer.ts';
import {
  outputLimit as anthropicLimit,
  readMessages as readAnthropicMessages,
} from './anthropic-messages.ts';
import { readAnswer as readConverseAnswer, readEvent } from './bedrock-answer.ts';
import { readBlocks, readMessages } from './bedrock-content.ts';
import { outputLimit as converseLimit, readTools } from './bedrock-converse.ts';
import { cohereChatV1 } from './cohere-chat.ts';
import {
  arrayOf,
  objectOf,
  optionalArray,
  optionalCount,
  optionalObject,
  parseData,
  requiredString,
  tokenCount,
} from './fields.ts';
import { addTextsIn, createGathered } from './json-text.ts';
import { openaiChat } from './openai-chat.ts';
import type { Gathered } from './json-text.ts';

/** One model family's own body format, as `invoke` takes it. */
export interface InvokeFamily {
  readonly name: string;
  readonly request: Dialect['request'];
  readonly answer: Dialect['answer'];
  /** Reads a stream's inner documents, already taken out of their frames. */
  createReader(): StreamReader;
}

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
    const olderLimit = optionalCount(optionalObject(body, 'inferenceConfig') ?? {}, 'max_new_tokens');
    return {
      ...facts(into, endpoint),
      tools: names,
      providerTools,
      output:
        olderLimit === undefined ? converseLimit(body) : countAt(body, 'inferenceConfig', 'max_new_tokens'),
    };
  },
  answer: readConverseAnswer,
  createReader: () => ({
    read(frame) {
      const event = parseData(frame.data);
      const name = Object.keys(event)[0] ?? '';
      return { frame, ...readEvent(name, objectOf(event[name]), [name]) };
    },
  }),
};

const cohereCommand: InvokeFamily = {
  name: 'cohere-command',
  // The chat body of Cohere's own v1, without its model.
  request: (body, endpoint) => cohereChatV1.request({ ...body, model: endpoint.model ?? '' }, endpoint),
  answer: cohereChatV1.answer,
  createReader: () => cohereChatV1.stream() ?? silentReader(),
};

const chat = openaiChat({ limitFields: ['max_tokens', 'max_completion_tokens'], asksUsage: false });

/** The families that take OpenAI's chat body. */
const openaiStyle: InvokeFamily = {
  name: 'openai-style',
  request: (body, endpoint) => chat.request(body, endpoint),
  answer: chat.answer,
  createReader() {
    const reader = chat.stream() ?? silentReader();
    return {
      read(frame) {
        const event = reader.read(frame);
        if (event.deltas.length > 0) return event;
        // Mistral's chunks carry a `message` where OpenAI's carry a `delta`.
        const { texts } = chat.answer(parseData(frame.data));
        const deltas = texts
          .filter((found) => found.editable === undefined)
          .map((found) => ({ ...found, channel: `0/${found.kind}` }));
        return { ...event, deltas };
      },
    };
  },
};

/** What a plain prompt format is made of. */
interface PromptFormat {
  readonly name: string;
  /** The members that hold words. */
  readonly prompts: readonly string[];
  /** Where the output limit is: a member, or a member of an object. */
  readonly limit: readonly [string] | readonly [string, string] | undefined;
  /** The texts of an answer, or of a stream's chunk, which has the same members. */
  texts(answer: JsonObject): AnswerText[];
  usage(answer: JsonObject): Usage | undefined;
}

function promptFamily(format: PromptFormat): InvokeFamily {
  const answer = (body: unknown): AnswerFacts => {
    const object = objectOf(body);
    return { usage: format.usage(object), texts: format.texts(object) };
  };
  return {
    name: format.name,
    request(body, endpoint) {
      const into = createGathered();
      const [first] = format.prompts;
      if (first !== undefined && format.limit !== undefined) requiredString(body, first);
      addTextsIn(into, { role: 'user', kind: 'text' }, withoutImages(into, body), []);
      const [outer, name] = format.limit ?? [];
      const output = outer === undefined ? undefined : countAt(body, outer, name);
      return { ...facts(into, endpoint), output };
    },
    answer,
    createReader: () => ({
      read(frame: Frame): StreamEvent {
        const { usage, texts } = answer(parseData(frame.data));
        const deltas = texts.map((found) => ({ ...found, channel: '0/text' }));
        return { frame, deltas, ...(usage === undefined ? {} : { usage }) };
      },
    }),
  };
}

/** The body without its inline pictures (llama's `images`, titan's `inputImage`), which become media. */
function withoutImages(into: Gathered, body: JsonObject): JsonObject {
  const { images, inputImage, ...rest } = body;
  for (const data of [...arrayOf(images), inputImage]) {
    if (typeof data === 'string') into.media.push({ kind: 'image', source: 'inline', data });
  }
  return rest;
}

const llama = promptFamily({
  name: 'llama',
  prompts: ['prompt'],
  limit: ['max_gen_len'],
  texts: (answer) => text(answer.generation, ['generation']),
  usage: (answer) => counts(answer.prompt_token_count, answer.generation_token_count),
});

const mistralPrompt = promptFamily({
  name: 'mistral',
  prompts: ['prompt'],
  limit: ['max_tokens'],
  texts: (answer) => listTexts(answer, 'outputs', 'text'),
  usage: () => undefined,
});

const deepseekPrompt = promptFamily({
  name: 'deepseek',
  prompts: ['prompt'],
  limit: ['max_tokens'],
  texts: (answer) => listTexts(answer, 'choices', 'text'),
  usage: () => undefined,
});

const titanText = promptFamily({
  name: 'titan-text',
  prompts: ['inputText'],
  limit: ['textGenerationConfig', 'maxTokenCount'],
  texts: (answer) => [
    ...listTexts(answer, 'results', 'outputText'),
    ...text(answer.outputText, ['outputText']),
  ],
  usage(answer) {
    const written = arrayOf(answer.results).map((result) => tokenCount(objectOf(result).tokenCount) ?? 0);
    const total = written.length > 0 ? written.reduce((a, b) => a + b) : answer.totalOutputTextTokenCount;
    return counts(answer.inputTextTokenCount, total);
  },
});

const titanEmbed = promptFamily({
  name: 'titan-embed',
  prompts: ['inputText'],
  limit: undefined,
  texts: () => [],
  usage: (answer) => counts(answer.inputTextTokenCount, 0),
});

const cohereEmbed = promptFamily({
  name: 'cohere-embed',
  prompts: ['texts'],
  limit: undefined,
  texts: () => [],
  usage: () => undefined,
});

const cohereRerank = promptFamily({
  name: 'cohere-rerank',
  prompts: ['query', 'documents'],
  limit: undefined,
  texts: () => [],
  usage: () => undefined,
});

/** First match wins. */
const FAMILIES: readonly (readonly [RegExp, InvokeFamily])[] = [
  [/^anthropic\.claude-(?!instant|v2|v1)/, anthropic],
  [/^amazon\.nova-(?!canvas|reel|sonic|2-sonic|multimodal)/, nova],
  [/^amazon\.titan-text-/, titanText],
  [/^amazon\.titan-embed-(text|g1|image)/, titanEmbed],
  [/^meta\.llama/, llama],
  [/^mistral\.(mistral-7b|mixtral|mistral-small-2402|mistral-large-2402)/, mistralPrompt],
  [/^(mistral|qwen|openai|moonshot|moonshotai|minimax|zai|nvidia|deepseek(?!\.r1))\./, openaiStyle],
  [/^deepseek\.r1/, deepseekPrompt],
  [/^cohere\.command-r/, cohereCommand],
  [/^cohere\.embed-/, cohereEmbed],
  [/^cohere\.rerank-/, cohereRerank],
];

function facts(into: Gathered, endpoint: Endpoint): Omit<RequestFacts, 'output'> {
  const model = endpoint.model ?? '';
  return {
    model,
    models: [model],
    stream: false,
    texts: into.texts,
    media: into.media,
    tools: [],
    providerTools: [],
    choices: 1,
    unseenContent: into.unseenContent,
  };
}

/** An output limit at `outer`, or at `outer.name`. */
function countAt(body: JsonObject, outer: string, name?: string): OutputLimit {
  if (name === undefined) {
    return {
      tokens: optionalCount(body, outer),
      set: (tokens): JsonEdit[] => [{ kind: 'set', path: [outer], value: tokens }],
    };
  }
  const config = optionalObject(body, outer);
  return {
    tokens: config && optionalCount(config, name),
    set: (tokens): JsonEdit[] =>
      config
        ? [{ kind: 'set', path: [outer, name], value: tokens }]
        : [{ kind: 'set', path: [outer], value: { [name]: tokens } }],
  };
}

function counts(input: unknown, output: unknown): Usage | undefined {
  const inputTokens = tokenCount(input);
  const outputTokens = tokenCount(output);
  return inputTokens === undefined || outputTokens === undefined ? undefined : { inputTokens, outputTokens };
}

function text(value: unknown, path: JsonPath): AnswerText[] {
  return typeof value === 'string' && value !== '' ? [{ kind: 'text', text: value, path }] : [];
}

function listTexts(answer: JsonObject, list: string, name: string): AnswerText[] {
  return arrayOf(answer[list]).flatMap((item, index) => text(objectOf(item)[name], [list, index, name]));
}

function silentReader(): StreamReader {
  return { read: (frame) => ({ frame, deltas: [] }) };
}
