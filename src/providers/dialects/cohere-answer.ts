import { addAll } from '../../add-all.ts';
import type { JsonPath } from '../../json/path.ts';
import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { AnswerFacts, AnswerText, TextDelta, TokenText, Usage } from '../dialect.ts';
import {
  answerReaders,
  editable,
  joinedMember,
  jsonReader,
  type Meaning,
  wholeDeltas,
} from './answer-reader.ts';
import { cohereV1Cut, cohereV2Cut } from './error-frames.ts';
import { arrayOf, countOrZero, objectOf } from './fields.ts';
import { addAnswerTextsIn, answerTextsIn } from './json-text.ts';
import { pieceTokens, tokensMember } from './token-texts.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';

/** Reads answers of `/v2/chat` and its SSE events. */
export const cohereV2Answers = answerReaders(readV2Answer, () => jsonReader(cohereV2Cut, readV2Event));

/** Reads answers of `/v1/chat` and its events, sent as SSE data or NDJSON lines. */
export const cohereV1Answers = answerReaders(readV1Answer, () => jsonReader(cohereV1Cut, readV1Event));

function* readV2Answer(answer: JsonObject): Work<AnswerFacts> {
  const message = objectOf(answer.message);
  const content = yield* contentTexts(message);
  const texts = [...content, ...answerTexts('reasoning', message.tool_plan, ['message', 'tool_plan'])];
  for (const [index, call] of arrayOf(message.tool_calls).entries()) {
    const path = ['message', 'tool_calls', index, 'function', 'arguments'];
    addAll(texts, argumentsText(objectOf(objectOf(call).function).arguments, path));
    yield ITEM_CHARS;
  }
  yield* addAnswerTextsIn(texts, 'text', message.citations, ['message', 'citations']);
  const tokens: TokenText[] = [];
  const spelled = spelledBy(content);
  for (const [index, piece] of arrayOf(answer.logprobs).entries()) {
    addAll(tokens, pieceTokens(piece, ['logprobs', index], spelled));
    yield ITEM_CHARS;
  }
  return {
    usage: readCohereUsage(answer.usage),
    texts,
    ...(yield* joinedMember(content, ({ kind }) => kind)),
    ...tokensMember(tokens),
  };
}

function* contentTexts(message: JsonObject): Work<AnswerText[]> {
  const found: AnswerText[] = [];
  for (const [index, value] of arrayOf(message.content).entries()) {
    const part = objectOf(value);
    const path = ['message', 'content', index];
    const own =
      part.type === 'thinking'
        ? answerTexts('reasoning', part.thinking, [...path, 'thinking'])
        : answerTexts('text', part.text, [...path, 'text']);
    addAll(found, own);
    yield ITEM_CHARS;
  }
  return found;
}

/** Log probabilities do not name the text that they spell; it is the first text. */
function spelledBy(content: readonly AnswerText[]): string {
  return content.find(({ kind }) => kind === 'text')?.path.join('.') ?? '';
}

const V1_WORDS = ['citations', 'search_queries', 'search_results', 'documents', 'chat_history'] as const;

function* readV1Answer(answer: JsonObject): Work<AnswerFacts> {
  return { usage: readCohereUsage(answer.meta), texts: yield* v1Texts(answer, []) };
}

function* v1Texts(answer: JsonObject, path: JsonPath): Work<AnswerText[]> {
  const found = answerTexts('text', answer.text, [...path, 'text']);
  yield* addAnswerTextsIn(found, 'tool_arguments', answer.tool_calls, [...path, 'tool_calls']);
  for (const name of V1_WORDS) yield* addAnswerTextsIn(found, 'text', answer[name], [...path, name]);
  return found;
}

function answerTexts(kind: AnswerText['kind'], value: unknown, path: JsonPath): AnswerText[] {
  return typeof value === 'string' && value !== '' ? [{ kind, text: value, path }] : [];
}

function argumentsText(value: unknown, path: JsonPath): AnswerText[] {
  return answerTexts('tool_arguments', value, path).map((found) => ({ ...found, isJson: true }));
}

function* readV2Event(event: JsonObject): Work<Meaning> {
  const delta = objectOf(event.delta);
  const message = objectOf(delta.message);
  const path = ['delta', 'message'];
  const index = typeof event.index === 'number' ? event.index : 0;
  switch (event.type) {
    case 'content-start':
    case 'content-delta': {
      const content = objectOf(message.content);
      const at = [...path, 'content'];
      const tokens = pieceTokens(event.logprobs, ['logprobs'], `0/text/${index}`);
      return {
        deltas: [
          ...on(`0/text/${index}`, answerTexts('text', content.text, [...at, 'text']), 'text'),
          ...on(
            `0/reasoning/${index}`,
            answerTexts('reasoning', content.thinking, [...at, 'thinking']),
            'reasoning',
          ),
        ],
        ...tokensMember(tokens),
      };
    }
    case 'content-end':
      return { deltas: [], ends: [`0/text/${index}`, `0/reasoning/${index}`] };
    case 'tool-plan-delta':
      return {
        deltas: on('0/plan', answerTexts('reasoning', message.tool_plan, [...path, 'tool_plan'])),
        isInOrder: true,
      };
    case 'tool-call-start':
    case 'tool-call-delta': {
      const { arguments: words } = objectOf(objectOf(message.tool_calls).function);
      const at = [...path, 'tool_calls', 'function', 'arguments'];
      const channel = `0/tool/${index}`;
      return {
        deltas: on(channel, argumentsText(words, at)),
        begins: [{ channel, before: 0 }],
        isInOrder: true,
      };
    }
    case 'tool-call-end':
      return { deltas: [], ends: [`0/tool/${index}`] };
    case 'citation-start': {
      const under = `0/citation/${index}/`;
      const found = yield* answerTextsIn('text', message.citations, [...path, 'citations']);
      return { deltas: yield* wholeDeltas(found, under), ends: [under] };
    }
    case 'message-end': {
      const usage = readCohereUsage(delta.usage);
      return {
        deltas: [],
        ends: ['*'],
        done: true,
        ...(usage === undefined ? {} : { usage }),
        ...(delta.error === undefined ? {} : { failed: true }),
      };
    }
    default:
      return { deltas: [] };
  }
}

function on(channel: string, found: readonly AnswerText[], joins?: string): TextDelta[] {
  return editable(found).map((piece) => ({ ...piece, channel, ...(joins !== undefined && { joins }) }));
}

function* readV1Event(event: JsonObject): Work<Meaning> {
  switch (event.event_type) {
    case 'text-generation':
      return { deltas: on('0/text', answerTexts('text', event.text, ['text'])), isInOrder: true };
    case 'tool-calls-chunk': {
      const delta = objectOf(event.tool_call_delta);
      const index = typeof delta.index === 'number' ? delta.index : 0;
      const at = ['tool_call_delta'];
      return {
        deltas: [
          ...on('0/text', answerTexts('text', event.text, ['text'])),
          ...on('0/plan', answerTexts('text', delta.text, [...at, 'text'])),
          ...on(`0/tool/${index}`, argumentsText(delta.parameters, [...at, 'parameters'])),
        ],
        isInOrder: true,
        ...(typeof delta.name === 'string' && { begins: [{ channel: `0/tool/${index}`, before: 2 }] }),
      };
    }
    case 'stream-end':
      return yield* readV1End(event);
    default:
      return {
        deltas: copiesOfV1(yield* wholeDeltas(yield* v1Texts(event, []), V1_WHOLE)),
        ends: [V1_WHOLE],
      };
  }
}

/** Channels of citations, searches, complete tool calls, and of the whole answer in the last event. */
const V1_WHOLE = '0/whole/';

/** Marks the answer's own text as a copy of the streamed one. */
function copiesOfV1(deltas: readonly TextDelta[]): TextDelta[] {
  return deltas.map((delta) => {
    const [first, second] = delta.path;
    const isText = delta.path.length === 1 ? first === 'text' : first === 'response' && second === 'text';
    return isText && delta.path.length <= 2 ? { ...delta, copies: '0/text' } : delta;
  });
}

function* readV1End(event: JsonObject): Work<Meaning> {
  const usage = readCohereUsage(objectOf(event.response).meta);
  const { finish_reason: reason } = event;
  const texts = yield* v1Texts(objectOf(event.response), ['response']);
  return {
    deltas: copiesOfV1(yield* wholeDeltas(texts, V1_WHOLE, { repeats: true })),
    ends: ['*'],
    done: true,
    ...(usage === undefined ? {} : { usage }),
    ...(typeof reason === 'string' && reason.startsWith('ERROR') ? { failed: true } : {}),
  };
}

/**
 * Reads v2 `usage` or v1 `meta`. Cohere charges `billed_units`; `tokens`, used only without them, also counts text that
 * Cohere adds to the prompt.
 */
export function readCohereUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const { billed_units: billed, tokens } = usage;
  if (isObject(billed)) return readUnits(billed);
  return isObject(tokens) ? readUnits(tokens) : undefined;
}

function readUnits(units: JsonObject): Usage | undefined {
  const inputTokens = countOrZero(units.input_tokens);
  const imageTokens = countOrZero(units.image_tokens);
  const outputTokens = countOrZero(units.output_tokens);
  const searchUnits = countOrZero(units.search_units);
  if (inputTokens === undefined || imageTokens === undefined) return undefined;
  if (outputTokens === undefined || searchUnits === undefined) return undefined;
  if (
    units.input_tokens === undefined &&
    units.search_units === undefined &&
    units.image_tokens === undefined
  ) {
    return undefined;
  }
  return {
    inputTokens: inputTokens + imageTokens,
    outputTokens,
    ...(searchUnits > 0 ? { searchUnits } : {}),
  };
}
