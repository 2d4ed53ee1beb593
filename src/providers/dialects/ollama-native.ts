import { addAll } from '../../add-all.ts';
import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { AnswerFacts, AnswerText, Dialect, StreamReader, TextDelta, TokenText } from '../dialect.ts';
import type { OutputLimit, RequestFacts } from '../request-facts.ts';
import { answerReaders, jsonReader, type Meaning, wholeDeltas } from './answer-reader.ts';
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
import { addAnswerTextsIn } from './json-text.ts';
import { PromptCollector } from './prompt-collector.ts';
import { readChatMessages } from './openai-chat.ts';
import { readTokenInput } from './openai-embeddings.ts';
import { readParts } from './openai-parts.ts';
import { readMembers } from './openai-request.ts';
import { readToolList, toolFacts, type ToolOffer } from './openai-tools.ts';
import { addListedTokens, tokensMember } from './token-texts.ts';

/** Ollama's own `POST /api/chat`. */
export const ollamaChat = nativeDialect('ollama-chat', (body) => void requiredArray(body, 'messages'));

/** Ollama's own `POST /api/generate`, with a prompt instead of messages. */
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

function* readNativeAnswer(body: JsonObject): Work<AnswerFacts> {
  const texts = yield* answerTexts(body);
  const spelled = texts.find(({ kind }) => kind === 'text')?.path.join('.') ?? '';
  const tokens: TokenText[] = [];
  yield* addListedTokens(tokens, body.logprobs, ['logprobs'], spelled);
  const usage = plainUsage(body.prompt_eval_count, body.eval_count);
  return { usage, texts, ...tokensMember(tokens) };
}

function* answerTexts(body: JsonObject): Work<AnswerText[]> {
  const message = objectOf(body.message);
  const texts: AnswerText[] = [];
  yield* addAnswerTextsIn(texts, 'reasoning', message.thinking, ['message', 'thinking']);
  yield* addAnswerTextsIn(texts, 'text', message.content, ['message', 'content']);
  yield* addAnswerTextsIn(texts, 'reasoning', body.thinking, ['thinking']);
  yield* addAnswerTextsIn(texts, 'text', body.response, ['response']);
  for (const [index, call] of arrayOf(message.tool_calls).entries()) {
    const path = ['message', 'tool_calls', index, 'function', 'arguments'];
    yield* addAnswerTextsIn(texts, 'tool_arguments', objectOf(objectOf(call).function).arguments, path);
    yield ITEM_CHARS;
  }
  return texts;
}

function createLineReader(): StreamReader {
  const wordDeltas = createWordDeltas();
  return jsonReader(plainCut, (line) => readAnswerLine(line, wordDeltas));
}

/** Reads a line, which carries one piece. The last one has `done` and the counts. Tool calls arrive whole. */
function* readAnswerLine(line: JsonObject, wordDeltas: WordDeltas): Work<Meaning> {
  const texts = yield* answerTexts(line);
  const calls = texts.filter(({ kind }) => kind === 'tool_arguments');
  const tokens: TokenText[] = [];
  yield* addListedTokens(tokens, line.logprobs, ['logprobs'], '0/text');
  const usage = plainUsage(line.prompt_eval_count, line.eval_count);
  const words = yield* wordDeltas(texts);
  const hasCalls = arrayOf(objectOf(line.message).tool_calls).length > 0;
  return {
    deltas: [...words, ...(yield* wholeDeltas(calls, WHOLE))],
    isInOrder: true,
    ...(hasCalls && { begins: [{ channel: WHOLE, before: words.length }] }),
    ends: line.done === true ? ['*'] : [WHOLE],
    ...tokensMember(tokens),
    ...(usage !== undefined && { usage }),
    ...(line.done === true && { done: true }),
    ...(line.error !== undefined && { failed: true }),
  };
}

const WHOLE = '0/tool/';

type WordDeltas = (texts: readonly AnswerText[]) => Work<TextDelta[]>;

/**
 * Creates a reader of text. Chats put text in `message`, generation in `response` and `thinking`. Clients read only one
 * of them. In a stream with both, the first to carry text streams it, and the other is a copy.
 */
function createWordDeltas(): WordDeltas {
  let speaker: string | undefined;
  return function* (texts) {
    const deltas: TextDelta[] = [];
    for (const { editable, ...text } of texts) {
      if (editable !== undefined || text.kind === 'tool_arguments') continue;
      const member = text.path[0] === 'message' ? 'message' : 'root';
      speaker ??= member;
      const channel = `0/${text.kind}`;
      deltas.push(
        member === speaker
          ? { ...text, channel }
          : { ...text, channel: `0/${member}/${text.kind}`, copies: channel },
      );
      yield ITEM_CHARS;
    }
    return deltas;
  };
}
