import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import { ITEM_CHARS, stepsOf, stepwise } from '../../turns.ts';
import type { Work } from '../../turns.ts';
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
  arrayOf,
  objectOf,
  optionalLimit,
  optionalObject,
  parseJson,
  requiredString,
  tokenCount,
} from './fields.ts';
import { addTextsIn, createGathered } from './json-text.ts';
import type { Gathered } from './json-text.ts';

/** One model family's own body format, as `invoke` takes it. */
export interface InvokeFamily {
  readonly name: string;
  readonly request: Dialect['request'];
  readonly answer: Dialect['answer'];
  /** Reads a stream's inner documents, already taken out of their frames. */
  createReader(): InnerReader;
}

/** Reads documents that come inside of frames: a cut is a frame of Bedrock's own. */
export type InnerReader = Pick<StreamReader, 'read'>;

/** What a plain prompt format is made of. */
interface PromptFormat {
  readonly name: string;
  /** The members that hold words. */
  readonly prompts: readonly string[];
  /** Where the output limit is: a member, or a member of an object. */
  readonly limit: readonly [string] | readonly [string, string] | undefined;
  /** Where texts stand in an answer, or in a stream's chunk: in a member, or in one of a list's items. */
  readonly texts: readonly (readonly [name: string] | readonly [list: string, name: string])[];
  usage(answer: JsonObject): Usage | undefined;
}

function promptFamily(format: PromptFormat): InvokeFamily {
  const answer = stepwise(function* (body: unknown): Work<AnswerFacts> {
    const object = objectOf(body);
    return { usage: format.usage(object), texts: yield* textsAt(object, format.texts) };
  });
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
      read: stepwise(function* (frame: Frame): Work<StreamEvent> {
        const json = parseJson(frame.data);
        const { usage, texts } = yield* stepsOf(answer, json);
        // Answers that were asked for at once have a place in a list.
        const deltas = texts.map((found) => ({ ...found, channel: `${indexIn(found.path)}/text` }));
        return { frame, json, deltas, ...(usage === undefined ? {} : { usage }) };
      }),
    }),
  };
}

function indexIn(path: JsonPath): number {
  return path.find((step) => typeof step === 'number') ?? 0;
}

/** The body without its inline pictures (llama's `images`, titan's `inputImage`), which become media. */
function withoutImages(into: Gathered, body: JsonObject): JsonObject {
  const { images, inputImage, ...rest } = body;
  for (const data of [...arrayOf(images), inputImage]) {
    if (typeof data === 'string') into.media.push({ kind: 'image', source: 'inline', data });
  }
  return rest;
}

export const llama = promptFamily({
  name: 'llama',
  prompts: ['prompt'],
  limit: ['max_gen_len'],
  texts: [['generation']],
  usage: (answer) => counts(answer.prompt_token_count, answer.generation_token_count),
});

export const mistralPrompt = promptFamily({
  name: 'mistral',
  prompts: ['prompt'],
  limit: ['max_tokens'],
  texts: [['outputs', 'text']],
  usage: () => undefined,
});

export const deepseekPrompt = promptFamily({
  name: 'deepseek',
  prompts: ['prompt'],
  limit: ['max_tokens'],
  texts: [['choices', 'text']],
  usage: () => undefined,
});

export const titanText = promptFamily({
  name: 'titan-text',
  prompts: ['inputText'],
  limit: ['textGenerationConfig', 'maxTokenCount'],
  texts: [['results', 'outputText'], ['outputText']],
  usage(answer) {
    const written = arrayOf(answer.results).map((result) => tokenCount(objectOf(result).tokenCount) ?? 0);
    const total = written.length > 0 ? written.reduce((a, b) => a + b) : answer.totalOutputTextTokenCount;
    return counts(answer.inputTextTokenCount, total);
  },
});

export const titanEmbed = promptFamily({
  name: 'titan-embed',
  prompts: ['inputText'],
  limit: undefined,
  texts: [],
  usage: (answer) => counts(answer.inputTextTokenCount, 0),
});

export const cohereEmbed = promptFamily({
  name: 'cohere-embed',
  prompts: ['texts'],
  limit: undefined,
  texts: [],
  usage: () => undefined,
});

export const cohereRerank = promptFamily({
  name: 'cohere-rerank',
  prompts: ['query', 'documents'],
  limit: undefined,
  texts: [],
  usage: () => undefined,
});

/** What a request says in any family. */
export function facts(into: Gathered, endpoint: Endpoint): Omit<RequestFacts, 'output'> {
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
export function countAt(body: JsonObject, outer: string, name?: string): OutputLimit {
  if (name === undefined) {
    return {
      tokens: optionalLimit(body, outer),
      set: (tokens): JsonEdit[] => [{ kind: 'set', path: [outer], value: tokens }],
    };
  }
  const config = optionalObject(body, outer);
  return {
    tokens: config && optionalLimit(config, name),
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

function* textsAt(answer: JsonObject, places: PromptFormat['texts']): Work<AnswerText[]> {
  const found: AnswerText[] = [];
  function add(text: unknown, path: JsonPath): void {
    if (typeof text === 'string' && text !== '') found.push({ kind: 'text', text, path });
  }
  for (const [member, name] of places) {
    if (name === undefined) {
      add(answer[member], [member]);
      continue;
    }
    for (const [index, item] of arrayOf(answer[member]).entries()) {
      add(objectOf(item)[name], [member, index, name]);
      yield ITEM_CHARS;
    }
  }
  return found;
}
