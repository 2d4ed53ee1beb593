import type { Frame } from '../../streams/frame.ts';
import type {
  AnswerFacts,
  AnswerText,
  Dialect,
  JsonObject,
  OutputLimit,
  RequestFacts,
  StreamEvent,
  StreamReader,
  Usage,
} from '../provider.ts';
import { plainCut } from './cuts.ts';
import { editable, wholeDeltas } from './deltas.ts';
import {
  arrayOf,
  isObject,
  objectOf,
  optionalBoolean,
  optionalObject,
  parseJson,
  requiredArray,
  requiredString,
  tokenCount,
} from './fields.ts';
import { createGathered, answerTextsIn } from './json-text.ts';
import { readMessage } from './openai-chat.ts';
import { readTokenInput } from './openai-embeddings.ts';
import { readParts } from './openai-parts.ts';
import { optionalPositive, readMembers } from './openai-request.ts';
import { readToolList, toolFacts } from './openai-tools.ts';
import type { ToolOffer } from './openai-tools.ts';
import { listedTokens, tokensMember } from './token-texts.ts';

/** Ollama's own `POST /api/chat`. */
export const ollamaChat = ollama('ollama-chat', (body) => void requiredArray(body, 'messages'));

/** Ollama's own `POST /api/generate`: a prompt in place of messages. */
export const ollamaGenerate = ollama('ollama-generate', () => undefined);

/** `POST /api/embed`, and its predecessor `/api/embeddings`. */
export const ollamaEmbed: Dialect = {
  name: 'ollama-embed',
  hasBody: true,
  request: (body) => ({ ...readBody(body), stream: false, output: undefined }),
  answer: (body) => {
    const inputTokens = tokenCount(objectOf(body).prompt_eval_count);
    return { usage: inputTokens === undefined ? undefined : { inputTokens, outputTokens: 0 }, texts: [] };
  },
  stream: () => undefined,
};

function ollama(name: string, assertBody: (body: JsonObject) => void): Dialect {
  return {
    name,
    hasBody: true,
    request(body) {
      assertBody(body);
      return readBody(body);
    },
    answer: (body) => readAnswer(objectOf(body)),
    stream: createReader,
  };
}

function readBody(body: JsonObject): RequestFacts {
  const model = requiredString(body, 'model');
  const into = createGathered();
  const offers: ToolOffer[] = [];
  const words = (name: string, role: 'user' | 'system') => (value: unknown) =>
    readParts(into, { role, kind: 'text' }, value, [name]);
  readMembers(into, body, {
    messages: (value) => {
      arrayOf(value).forEach((message, index) => readMessage(into, message, ['messages', index]));
    },
    tools: (value) => offers.push(...readToolList(into, value, ['tools'], isClientRun)),
    system: words('system', 'system'),
    template: words('template', 'system'),
    prompt: words('prompt', 'user'),
    suffix: words('suffix', 'user'),
    input: (value) => readTokenInput(into, value, ['input']),
    images: (value) => readParts(into, { role: 'user', kind: 'text' }, { images: value }, []),
    // The tokens of an earlier conversation: their count is known, their words are not.
    context: (value) => readTokenInput(into, value, ['context']),
    options: () => undefined,
  });
  return {
    model,
    models: [model],
    // Ollama streams unless it is told not to.
    stream: body.stream === undefined || body.stream === null ? true : optionalBoolean(body, 'stream'),
    texts: into.texts,
    media: into.media,
    ...toolFacts(offers, undefined),
    choices: 1,
    output: outputLimit(body),
    unseenContent: into.unseenContent,
  };
}

function isClientRun(tool: JsonObject): boolean {
  return tool.type === 'function' || (tool.type === undefined && isObject(tool.function));
}

/** `options.num_predict`; -1 and -2 ask for as much as there is room for, which is no limit. */
function outputLimit(body: JsonObject): OutputLimit {
  const options = optionalObject(body, 'options') ?? {};
  const endless = options.num_predict === -1 || options.num_predict === -2;
  return {
    tokens: endless ? undefined : optionalPositive(options, 'num_predict'),
    set: (tokens) => [{ kind: 'set', path: ['options', 'num_predict'], value: tokens }],
  };
}

function readAnswer(body: JsonObject): AnswerFacts {
  const texts = answerTexts(body);
  const spelled = texts.find(({ kind }) => kind === 'text')?.path.join('.') ?? '';
  return {
    usage: readUsage(body),
    texts,
    ...tokensMember(listedTokens(body.logprobs, ['logprobs'], spelled)),
  };
}

function readUsage(body: JsonObject): Usage | undefined {
  const inputTokens = tokenCount(body.prompt_eval_count);
  const outputTokens = tokenCount(body.eval_count);
  const known = inputTokens !== undefined && outputTokens !== undefined;
  return known ? { inputTokens, outputTokens } : undefined;
}

function answerTexts(body: JsonObject): AnswerText[] {
  const message = objectOf(body.message);
  const calls = arrayOf(message.tool_calls).flatMap((call, index) =>
    answerTextsIn('tool_arguments', objectOf(objectOf(call).function).arguments, [
      ...['message', 'tool_calls'],
      index,
      ...['function', 'arguments'],
    ]),
  );
  return [
    ...answerTextsIn('reasoning', message.thinking, ['message', 'thinking']),
    ...answerTextsIn('text', message.content, ['message', 'content']),
    ...answerTextsIn('reasoning', body.thinking, ['thinking']),
    ...answerTextsIn('text', body.response, ['response']),
    ...calls,
  ];
}

/** One line a piece; the last one has `done` and the counts. A tool call comes whole. */
function createReader(): StreamReader {
  return {
    read(frame: Frame): StreamEvent {
      const json = parseJson(frame.data);
      const line = objectOf(json);
      const texts = answerTexts(line);
      const words = texts.filter(({ kind }) => kind !== 'tool_arguments');
      const calls = texts.filter(({ kind }) => kind === 'tool_arguments');
      const usage = readUsage(line);
      return {
        frame,
        json,
        deltas: [
          ...editable(words).map((text) => ({ ...text, channel: `0/${text.kind}` })),
          ...wholeDeltas(calls, WHOLE),
        ],
        ends: line.done === true ? ['*'] : [WHOLE],
        ...tokensMember(listedTokens(line.logprobs, ['logprobs'], '0/text')),
        ...(usage !== undefined && { usage }),
        ...(line.done === true && { done: true }),
        ...(line.error !== undefined && { failed: true }),
      };
    },
    cut: plainCut,
  };
}

const WHOLE = '0/tool/';
