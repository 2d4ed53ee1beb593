import type { JsonPath } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import type {
  AnswerFacts,
  AnswerText,
  JsonObject,
  StreamEvent,
  StreamReader,
  TextDelta,
} from '../provider.ts';
import { readUsage } from './cohere-usage.ts';
import { cohereV1Cut, cohereV2Cut } from './cuts.ts';
import { editable, wholeDeltas } from './deltas.ts';
import { arrayOf, objectOf, parseJson } from './fields.ts';
import { joinedMember } from './joined-texts.ts';
import { answerTextsIn } from './json-text.ts';
import { pieceTokens, tokensMember } from './token-texts.ts';

/** Reads a whole v2 answer. */
export function readV2Answer(body: unknown): AnswerFacts {
  const answer = objectOf(body);
  const message = objectOf(answer.message);
  const content = arrayOf(message.content).flatMap((value, index) => {
    const part = objectOf(value);
    const path = ['message', 'content', index];
    return part.type === 'thinking'
      ? text('reasoning', part.thinking, [...path, 'thinking'])
      : text('text', part.text, [...path, 'text']);
  });
  const calls = arrayOf(message.tool_calls).flatMap((call, index) => {
    const path = ['message', 'tool_calls', index, 'function', 'arguments'];
    return argumentsText(objectOf(objectOf(call).function).arguments, path);
  });
  const logprobs = arrayOf(answer.logprobs).flatMap((piece, index) =>
    pieceTokens(piece, ['logprobs', index], spelledBy(content)),
  );
  return {
    usage: readUsage(answer.usage),
    texts: [
      ...content,
      ...text('reasoning', message.tool_plan, ['message', 'tool_plan']),
      ...calls,
      ...answerTextsIn('text', message.citations, ['message', 'citations']),
    ],
    ...joinedMember(content, ({ kind }) => kind),
    ...tokensMember(logprobs),
  };
}

/** Pieces with probabilities do not say which part of the answer they spell: its first text. */
function spelledBy(content: readonly AnswerText[]): string {
  return content.find(({ kind }) => kind === 'text')?.path.join('.') ?? '';
}

/** Members of a v1 answer that hold words of the model's, or repeat them. */
const V1_WORDS = ['citations', 'search_queries', 'search_results', 'documents', 'chat_history'] as const;

/** Reads a whole v1 answer. */
export function readV1Answer(body: unknown): AnswerFacts {
  const answer = objectOf(body);
  return { usage: readUsage(answer.meta), texts: v1Texts(answer, []) };
}

function v1Texts(answer: JsonObject, path: JsonPath): AnswerText[] {
  return [
    ...text('text', answer.text, [...path, 'text']),
    ...answerTextsIn('tool_arguments', answer.tool_calls, [...path, 'tool_calls']),
    ...V1_WORDS.flatMap((name) => answerTextsIn('text', answer[name], [...path, name])),
  ];
}

function text(kind: AnswerText['kind'], value: unknown, path: JsonPath): AnswerText[] {
  return typeof value === 'string' && value !== '' ? [{ kind, text: value, path }] : [];
}

function argumentsText(value: unknown, path: JsonPath): AnswerText[] {
  return text('tool_arguments', value, path).map((found) => ({ ...found, isJson: true }));
}

/** Reads the SSE events of `/v2/chat`. */
export function createV2Reader(): StreamReader {
  return {
    read(frame) {
      const json = parseJson(frame.data);
      return { frame, json, ...readV2Event(objectOf(json)) };
    },
    cut: cohereV2Cut,
  };
}

/** What of an event's meaning is left once its frame is put aside. */
type Meaning = Omit<StreamEvent, 'frame'>;

function readV2Event(event: JsonObject): Meaning {
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
          ...on(`0/text/${index}`, text('text', content.text, [...at, 'text']), 'text'),
          ...on(
            `0/reasoning/${index}`,
            text('reasoning', content.thinking, [...at, 'thinking']),
            'reasoning',
          ),
        ],
        ...tokensMember(tokens),
      };
    }
    case 'content-end':
      return { deltas: [], ends: [`0/text/${index}`, `0/reasoning/${index}`] };
    case 'tool-plan-delta':
      return { deltas: on('0/plan', text('reasoning', message.tool_plan, [...path, 'tool_plan'])) };
    case 'tool-call-start':
    case 'tool-call-delta': {
      const { arguments: words } = objectOf(objectOf(message.tool_calls).function);
      const at = [...path, 'tool_calls', 'function', 'arguments'];
      return { deltas: on(`0/tool/${index}`, argumentsText(words, at)), ends: ['0/plan'] };
    }
    case 'tool-call-end':
      return { deltas: [], ends: [`0/tool/${index}`] };
    case 'citation-start': {
      const under = `0/citation/${index}/`;
      const found = answerTextsIn('text', message.citations, [...path, 'citations']);
      return { deltas: wholeDeltas(found, under), ends: [under] };
    }
    case 'message-end': {
      const usage = readUsage(delta.usage);
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

/** Pieces of one channel's text. */
function on(channel: string, found: readonly AnswerText[], joins?: string): TextDelta[] {
  return editable(found).map((piece) => ({ ...piece, channel, ...(joins !== undefined && { joins }) }));
}

/** Reads the events of `/v1/chat`, as SSE data or as lines of NDJSON alike. */
export function createV1Reader(): StreamReader {
  return {
    read(frame: Frame): StreamEvent {
      const json = parseJson(frame.data);
      return { frame, json, ...readV1Event(objectOf(json)) };
    },
    cut: cohereV1Cut,
  };
}

function readV1Event(event: JsonObject): Meaning {
  switch (event.event_type) {
    case 'text-generation':
      return { deltas: on('0/text', text('text', event.text, ['text'])) };
    case 'tool-calls-chunk': {
      const delta = objectOf(event.tool_call_delta);
      const index = typeof delta.index === 'number' ? delta.index : 0;
      const at = ['tool_call_delta'];
      return {
        deltas: [
          ...on('0/text', text('text', event.text, ['text'])),
          ...on('0/plan', text('text', delta.text, [...at, 'text'])),
          ...on(`0/tool/${index}`, argumentsText(delta.parameters, [...at, 'parameters'])),
        ],
      };
    }
    case 'stream-start':
      return { deltas: [] };
    case 'stream-end':
      return readV1End(event);
    default:
      return { deltas: wholeDeltas(v1Texts(event, []), V1_WHOLE), ends: [V1_WHOLE] };
  }
}

/** Citations, searches, calls that are complete; and the whole answer once more, at its end. */
const V1_WHOLE = '0/whole/';

function readV1End(event: JsonObject): Meaning {
  const usage = readUsage(objectOf(event.response).meta);
  const { finish_reason: reason } = event;
  const copies = wholeDeltas(v1Texts(objectOf(event.response), ['response']), V1_WHOLE);
  return {
    deltas: copies.map((delta) => ({ ...delta, repeats: true })),
    ends: ['*'],
    done: true,
    ...(usage === undefined ? {} : { usage }),
    ...(typeof reason === 'string' && reason.startsWith('ERROR') ? { failed: true } : {}),
  };
}
