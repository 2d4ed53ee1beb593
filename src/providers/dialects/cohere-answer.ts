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
import { arrayOf, objectOf, parseData } from './fields.ts';
import { answerTextsIn } from './json-text.ts';

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
    return text('tool_arguments', objectOf(objectOf(call).function).arguments, path);
  });
  return {
    usage: readUsage(answer.usage),
    texts: [
      ...content,
      ...text('reasoning', message.tool_plan, ['message', 'tool_plan']),
      ...calls,
      ...answerTextsIn('text', message.citations, ['message', 'citations']),
    ],
  };
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

/** Reads the SSE events of `/v2/chat`. */
export function createV2Reader(): StreamReader {
  return { read: (frame) => ({ frame, ...readV2Event(parseData(frame.data)) }), cut: cohereV2Cut };
}

function readV2Event(event: JsonObject): Omit<StreamEvent, 'frame'> {
  const delta = objectOf(event.delta);
  if (event.type === 'message-end') {
    const usage = readUsage(delta.usage);
    return {
      deltas: [],
      done: true,
      ...(usage === undefined ? {} : { usage }),
      ...(delta.error === undefined ? {} : { failed: true }),
    };
  }
  return { deltas: v2Deltas(event, objectOf(delta.message)) };
}

function v2Deltas(event: JsonObject, message: JsonObject): TextDelta[] {
  const index = typeof event.index === 'number' ? event.index : 0;
  const path = ['delta', 'message'];
  const named = (channel: string, found: readonly AnswerText[]) =>
    found
      .filter((piece) => piece.editable === undefined)
      .map(({ kind, text: words, path: at }): TextDelta => ({ channel, kind, text: words, path: at }));
  switch (event.type) {
    case 'content-start':
    case 'content-delta': {
      const content = objectOf(message.content);
      const at = [...path, 'content'];
      return [
        ...named(`0/text/${index}`, text('text', content.text, [...at, 'text'])),
        ...named(`0/reasoning/${index}`, text('reasoning', content.thinking, [...at, 'thinking'])),
      ];
    }
    case 'tool-plan-delta':
      return named('0/plan', text('reasoning', message.tool_plan, [...path, 'tool_plan']));
    case 'tool-call-start':
    case 'tool-call-delta': {
      const { arguments: words } = objectOf(objectOf(message.tool_calls).function);
      const at = [...path, 'tool_calls', 'function', 'arguments'];
      return named(`0/tool/${index}`, text('tool_arguments', words, at));
    }
    case 'citation-start':
      return named(`0/citation/${index}`, answerTextsIn('text', message.citations, [...path, 'citations']));
    default:
      return [];
  }
}

/** Reads the events of `/v1/chat`, as SSE data or as lines of NDJSON alike. */
export function createV1Reader(): StreamReader {
  return {
    read(frame: Frame): StreamEvent {
      const event = parseData(frame.data);
      const deltas = v1Deltas(event);
      if (event.event_type !== 'stream-end') return { frame, deltas };
      const usage = readUsage(objectOf(event.response).meta);
      const { finish_reason: reason } = event;
      const failed = typeof reason === 'string' && reason.startsWith('ERROR');
      return {
        frame,
        deltas,
        done: true,
        ...(usage === undefined ? {} : { usage }),
        ...(failed ? { failed: true } : {}),
      };
    },
    cut: cohereV1Cut,
  };
}

function v1Deltas(event: JsonObject): TextDelta[] {
  const on = (channel: string, found: readonly AnswerText[]) =>
    found
      .filter((piece) => piece.editable === undefined)
      .map(({ kind, text: words, path }): TextDelta => ({ channel, kind, text: words, path }));
  switch (event.event_type) {
    case 'text-generation':
      return on('0/text', text('text', event.text, ['text']));
    case 'tool-calls-chunk': {
      const delta = objectOf(event.tool_call_delta);
      const index = typeof delta.index === 'number' ? delta.index : 0;
      const at = ['tool_call_delta'];
      return [
        ...on('0/text', text('text', event.text, ['text'])),
        ...on('0/plan', text('text', delta.text, [...at, 'text'])),
        ...on(`0/tool/${index}`, text('tool_arguments', delta.parameters, [...at, 'parameters'])),
      ];
    }
    case 'stream-end':
      // Says the whole answer once more: scanned like the pieces, on a channel of its own.
      return on('0/again', v1Texts(objectOf(event.response), ['response']));
    case 'stream-start':
      return [];
    default:
      return on('0/again', v1Texts(event, []));
  }
}
