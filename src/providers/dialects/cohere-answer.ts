import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import type { AnswerText, Usage } from '../dialect.ts';
import { type AnswerReading, answerReaders, type EventReading, jsonReader } from './answer-reader.ts';
import { cohereV1Cut, cohereV2Cut } from './error-frames.ts';
import { countOrZero, objectOf } from './fields.ts';
import { eachIn, type Marks, type Places, stringsIn, textIn } from './places.ts';
import { pieceTokens } from './token-texts.ts';

export const cohereV2Answers = answerReaders(readV2Answer, () => jsonReader(cohereV2Cut, readV2Event));

/** `/v1/chat` streams events as SSE data or NDJSON lines. */
export const cohereV1Answers = answerReaders(
  (answer) => ({ usage: readCohereUsage(answer.meta), places: v1Places(answer, []) }),
  () => jsonReader(cohereV1Cut, readV1Event),
);

function readV2Answer(answer: JsonObject): AnswerReading {
  const message = objectOf(answer.message);
  /** Log probabilities do not name the text that they spell, which is the first text. */
  let spelled = '';
  const places: Places = [
    eachIn(message, 'content', ['message'], contentPlaces),
    ({ texts }) => {
      spelled = texts.find(({ kind }) => kind === 'text')?.path.join('.') ?? '';
      return [];
    },
    textIn('reasoning', message, 'tool_plan', ['message']),
    eachIn(message, 'tool_calls', ['message'], (call, path) =>
      textIn('tool_arguments', objectOf(call).function, 'arguments', [...path, 'function'], { isJson: true }),
    ),
    stringsIn('text', message, 'citations', ['message']),
    eachIn(answer, 'logprobs', [], (piece, path) => pieceTokens(piece, path, spelled)),
  ];
  return { usage: readCohereUsage(answer.usage), places, joinedName };
}

function contentPlaces(part: unknown, path: JsonPath): Places {
  return objectOf(part).type === 'thinking'
    ? textIn('reasoning', part, 'thinking', path)
    : textIn('text', part, 'text', path);
}

function joinedName({ kind, path: [, list] }: AnswerText): string | undefined {
  return list === 'content' ? kind : undefined;
}

const V1_WORDS = ['citations', 'search_queries', 'search_results', 'documents', 'chat_history'] as const;

/** @param marks for places in an event; undefined for whole answers */
function v1Places(answer: unknown, path: JsonPath, marks?: Marks): Places {
  // In an event, the answer's own text is a copy of the streamed text.
  const ofText = marks === undefined ? marks : { ...marks, copies: STREAMED };
  return [
    textIn('text', answer, 'text', path, ofText),
    stringsIn('tool_arguments', answer, 'tool_calls', path, marks),
    V1_WORDS.map((name) => stringsIn('text', answer, name, path, marks)),
  ];
}

function readV2Event(event: JsonObject): EventReading {
  const delta = objectOf(event.delta);
  const message = objectOf(delta.message);
  const path = ['delta', 'message'];
  const index = typeof event.index === 'number' ? event.index : 0;
  const text = `0/text/${index}`;
  const reasoning = `0/reasoning/${index}`;
  const call = `0/tool/${index}`;
  switch (event.type) {
    case 'content-start':
    case 'content-delta': {
      const { content } = message;
      const at = [...path, 'content'];
      return {
        places: [
          textIn('text', content, 'text', at, { channel: text, joins: 'text' }),
          textIn('reasoning', content, 'thinking', at, { channel: reasoning, joins: 'reasoning' }),
          pieceTokens(event.logprobs, ['logprobs'], text),
        ],
      };
    }
    case 'content-end':
      return { places: [{ ends: text }, { ends: reasoning }] };
    case 'tool-plan-delta':
      return {
        places: textIn('reasoning', message, 'tool_plan', path, { channel: '0/plan' }),
        isInOrder: true,
      };
    case 'tool-call-start':
    case 'tool-call-delta': {
      const { function: called } = objectOf(message.tool_calls);
      const at = [...path, 'tool_calls', 'function'];
      const marks = { channel: call, isJson: true } as const;
      return {
        places: [{ begins: call }, textIn('tool_arguments', called, 'arguments', at, marks)],
        isInOrder: true,
      };
    }
    case 'tool-call-end':
      return { places: { ends: call } };
    case 'citation-start': {
      const under = `0/citation/${index}/`;
      return { places: [stringsIn('text', message, 'citations', path, { under }), { ends: under }] };
    }
    case 'message-end': {
      const usage = readCohereUsage(delta.usage);
      return {
        places: { ends: '*' },
        done: true,
        ...(usage === undefined ? {} : { usage }),
        ...(delta.error === undefined ? {} : { failed: true }),
      };
    }
    default:
      return {};
  }
}

const STREAMED = '0/text';
/** Channel prefix for citations, searches, complete tool calls, and for the whole answer in the last event. */
const V1_WHOLE = '0/whole/';

function readV1Event(event: JsonObject): EventReading {
  switch (event.event_type) {
    case 'text-generation':
      return { places: textIn('text', event, 'text', [], { channel: STREAMED }), isInOrder: true };
    case 'tool-calls-chunk': {
      const delta = objectOf(event.tool_call_delta);
      const index = typeof delta.index === 'number' ? delta.index : 0;
      const channel = `0/tool/${index}`;
      const at = ['tool_call_delta'];
      return {
        places: [
          textIn('text', event, 'text', [], { channel: STREAMED }),
          textIn('text', delta, 'text', at, { channel: '0/plan' }),
          typeof delta.name === 'string' ? { begins: channel } : [],
          textIn('tool_arguments', delta, 'parameters', at, { channel, isJson: true }),
        ],
        isInOrder: true,
      };
    }
    case 'stream-end':
      return readV1End(event);
    default:
      return { places: [v1Places(event, [], { under: V1_WHOLE }), { ends: V1_WHOLE }] };
  }
}

function readV1End(event: JsonObject): EventReading {
  const response = objectOf(event.response);
  const usage = readCohereUsage(response.meta);
  const { finish_reason: reason } = event;
  return {
    places: [v1Places(response, ['response'], { under: V1_WHOLE, repeats: true }), { ends: '*' }],
    done: true,
    ...(usage === undefined ? {} : { usage }),
    ...(typeof reason === 'string' && reason.startsWith('ERROR') ? { failed: true } : {}),
  };
}

/** Reads v2 `usage` or v1 `meta`: `billed_units`, or else `tokens`, which include text added by Cohere. */
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
