import { addAll } from '../../add-all.ts';
import { valueAt } from '../../json/path.ts';
import type { Dialect, StreamReader } from '../dialect.ts';
import type { OutputLimit, RequestFacts } from '../request-facts.ts';
import { type AnswerReading, answerReaders, type EventReading, jsonReader } from './answer-reader.ts';
import { plainCut } from './error-frames.ts';
import {
  arrayOf,
  objectOf,
  optionalBoolean,
  optionalObject,
  optionalPositive,
  plainUsage,
  requiredArray,
  requiredString,
} from './fields.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { eachIn, type Marks, type Places, stringsIn } from './places.ts';
import { PromptCollector } from './prompt-collector.ts';
import { readChatMessages } from './openai-chat.ts';
import { readTokenInput } from './openai-embeddings.ts';
import { readParts } from './openai-parts.ts';
import { readMembers } from './openai-request.ts';
import { readToolList, toolFacts, type ToolOffer } from './openai-tools.ts';
import { listedTokens } from './token-texts.ts';

export const ollamaChat = nativeDialect('ollama-chat', (body) => void requiredArray(body, 'messages'));

export const ollamaGenerate = nativeDialect('ollama-generate', () => undefined);

/** `POST /api/embed`, and its predecessor `/api/embeddings`. */
export const ollamaEmbed: Dialect = {
  name: 'ollama-embed',
  hasBody: true,
  request: (body) => ({ ...readBody(body), stream: false, output: undefined }),
  answer: (body) => ({ usage: plainUsage(objectOf(body).prompt_eval_count, 0), texts: [] }),
  stream: () => undefined,
};

function nativeDialect(name: string, assertBody: (body: JsonObject) => void): Dialect {
  return {
    name,
    hasBody: true,
    request(body) {
      assertBody(body);
      return readBody(body);
    },
    ...answerReaders(readNativeAnswer, createLineReader),
  };
}

function readBody(body: JsonObject): RequestFacts {
  const model = requiredString(body, 'model');
  const into = new PromptCollector();
  const offers: ToolOffer[] = [];
  const words = (name: string, role: 'user' | 'system') => (value: unknown) =>
    readParts(into, { role, kind: 'text' }, value, [name]);
  readMembers(into, body, {
    messages: (value) => readChatMessages(into, value),
    tools: (value) => {
      addAll(offers, readToolList(into, value, ['tools'], isClientRun));
    },
    system: words('system', 'system'),
    prompt: words('prompt', 'user'),
    suffix: words('suffix', 'user'),
    input: (value) => readTokenInput(into, value, ['input']),
    // Tokens of an earlier conversation. They can be counted but not read.
    context: (value) => readTokenInput(into, value, ['context']),
    options: () => undefined,
  });
  return {
    ...into.facts([model]),
    // Ollama streams by default.
    stream: body.stream === undefined || body.stream === null ? true : optionalBoolean(body, 'stream'),
    ...toolFacts(offers, undefined),
    output: outputLimit(body),
  };
}

function isClientRun(tool: JsonObject): boolean {
  return tool.type === 'function' || (tool.type === undefined && isObject(tool.function));
}

/** `options.num_predict`. -1 and -2 mean no limit other than the context size. */
function outputLimit(body: JsonObject): OutputLimit {
  const options = optionalObject(body, 'options') ?? {};
  const endless = options.num_predict === -1 || options.num_predict === -2;
  return {
    tokens: endless ? undefined : optionalPositive(options, 'num_predict'),
    set: (tokens) => [{ kind: 'set', path: ['options', 'num_predict'], value: tokens }],
  };
}

function readNativeAnswer(body: JsonObject): AnswerReading {
  const places: Places = [
    WORDS.map(([kind, name, ...path]) => stringsIn(kind, valueAt(body, path), name, path)),
    callPlaces(body),
    ({ texts }) => {
      const spelled = texts.find(({ kind }) => kind === 'text')?.path.join('.') ?? '';
      return listedTokens(body, 'logprobs', [], spelled);
    },
  ];
  return { usage: plainUsage(body.prompt_eval_count, body.eval_count), places };
}

/** Text members: kind, name and path. `/api/chat` uses `message`; `/api/generate` uses `response` and `thinking`. */
const WORDS = [
  ['reasoning', 'thinking', 'message'],
  ['text', 'content', 'message'],
  ['reasoning', 'thinking'],
  ['text', 'response'],
] as const;

function callPlaces(body: JsonObject, marks?: Marks): Places {
  return eachIn(body.message, 'tool_calls', ['message'], (call, path) =>
    stringsIn('tool_arguments', objectOf(call).function, 'arguments', [...path, 'function'], marks),
  );
}

/**
 * Returns a reader for streams of one piece per line. The last line has `done` and the counts. Tool calls arrive whole.
 */
function createLineReader(): StreamReader {
  const wordPlaces = createWordPlaces();
  return jsonReader(plainCut, (line): EventReading => {
    const usage = plainUsage(line.prompt_eval_count, line.eval_count);
    const hasCalls = arrayOf(objectOf(line.message).tool_calls).length > 0;
    return {
      places: [
        wordPlaces(line),
        hasCalls ? { begins: WHOLE } : [],
        callPlaces(line, { under: WHOLE }),
        listedTokens(line, 'logprobs', [], '0/text'),
        { ends: line.done === true ? '*' : WHOLE },
      ],
      isInOrder: true,
      ...(usage !== undefined && { usage }),
      ...(line.done === true && { done: true }),
      ...(line.error !== undefined && { failed: true }),
    };
  });
}

const WHOLE = '0/tool/';

/** Clients read either `message` or the root members. The first with text is the stream, the other a copy. */
function createWordPlaces(): (line: JsonObject) => Places {
  let speaker: string | undefined;
  return (line) =>
    WORDS.map(([kind, name, ...path]): Places => ({ texts }) => {
      const member = path[0] === 'message' ? 'message' : 'root';
      const before = texts.length;
      const channel = `0/${kind}`;
      const isCopy = speaker !== undefined && speaker !== member;
      const marks = isCopy ? { channel: `0/${member}/${kind}`, copies: channel } : { channel };
      return [
        stringsIn(kind, valueAt(line, path), name, path, marks),
        () => {
          if (texts.length > before) speaker ??= member;
          return [];
        },
      ];
    });
}
