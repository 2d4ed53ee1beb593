import { isContainer, isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import type { AnswerText, Usage } from '../dialect.ts';
import { type AnswerReading, answerReaders, type EventReading, jsonReader } from './answer-reader.ts';
import { bedrockCut } from './error-frames.ts';
import { arrayOf, cacheApart, objectOf, tokenCount } from './fields.ts';
import { eachIn, eachMember, type Places, stringsIn, textIn } from './places.ts';

/** Reads Converse answers and the frames of `converse-stream`, whose headers carry the event name. */
export const converseAnswers = answerReaders(readConverseAnswer, (request) => {
  const signed = signsReasoning(request?.model);
  return jsonReader(bedrockCut, (event, frame) => readConverseEvent(frame.event ?? '', event, [], signed));
});

function readConverseAnswer(answer: JsonObject): AnswerReading {
  const message = objectOf(objectOf(answer.output).message);
  const places = eachIn(message, 'content', ['output', 'message'], (block, path) =>
    eachMember(objectOf(block), path, memberPlaces),
  );
  return { usage: readUsage(answer.usage), places, joinedName };
}

/** Joins `text` blocks with cited text, because citations split the text. Reasoning is joined separately. */
function joinedName({ kind, path: [, , , , name, list, , member] }: AnswerText): string | undefined {
  if (name === 'reasoningContent') return kind;
  const isCited = name === 'citationsContent' && list === 'content' && member === 'text';
  return isCited || (name === 'text' && list === undefined) ? kind : undefined;
}

function memberPlaces(value: unknown, path: JsonPath, name: string): Places {
  switch (name) {
    case 'toolUse':
      return stringsIn('tool_arguments', value, 'input', path);
    case 'reasoningContent': {
      const { reasoningText } = objectOf(value);
      const { signature } = objectOf(reasoningText);
      const isSigned = typeof signature === 'string' && signature !== '';
      return textIn(
        'reasoning',
        reasoningText,
        'text',
        [...path, 'reasoningText'],
        isSigned ? { signed: true } : {},
      );
    }
    case 'image':
      return [];
    default:
      return { kind: 'text', value, path };
  }
}

/** `inputTokens` excludes cache reads and writes. Nova's invoke format appends `Count` to cache members. */
function readUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  return cacheApart(
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheReadInputTokens ?? usage.cacheReadInputTokenCount,
    usage.cacheWriteInputTokens ?? usage.cacheWriteInputTokenCount,
    cacheWrites1h(usage.cacheDetails),
  );
}

function cacheWrites1h(details: unknown): number {
  return arrayOf(details)
    .map(objectOf)
    .filter((detail) => detail.ttl === '1h')
    .reduce((sum, detail) => sum + (tokenCount(detail.inputTokens) ?? 0), 0);
}

/** Nova's own answers match Converse. Its streams wrap each event in a member named after it. */
export const novaAnswers = answerReaders(readConverseAnswer, () =>
  jsonReader(bedrockCut, (event) => {
    const name = Object.keys(event).find((member) => isObject(event[member])) ?? '';
    return readConverseEvent(name, objectOf(event[name]), [name], false);
  }),
);

/** Reports whether a model signs its reasoning, as Claude does. ARNs may stand for Claude. */
function signsReasoning(model: string | undefined): boolean {
  return model === undefined || /anthropic|^arn:/.test(model);
}

/** Reads one event with its content at `path`. A reasoning signature arrives after all reasoning text. */
function readConverseEvent(name: string, event: JsonObject, path: JsonPath, signed: boolean): EventReading {
  switch (name) {
    case 'contentBlockDelta':
      return { places: deltaPlaces(event, [...path, 'delta'], signed) };
    case 'metadata': {
      // The last event of every stream, after `messageStop`.
      const usage = readUsage(event.usage);
      return { places: { ends: '*' }, done: true, ...(usage === undefined ? {} : { usage }) };
    }
    case 'contentBlockStop': {
      const channels = ['text', 'tool', 'reasoning'].map((word) => `0/${word}/${blockIndex(event)}`);
      return { places: [...channels, moreOf(event)].map((ends) => ({ ends })) };
    }
    case 'messageStop':
      return { places: { ends: '*' } };
    default:
      return isException(name) ? { failed: true } : {};
  }
}

/** Matches exception names such as `throttlingException`, and error codes. */
export function isException(eventName: string): boolean {
  return /(exception|error|failure)$/i.test(eventName);
}

function blockIndex({ contentBlockIndex: index }: JsonObject): number {
  return typeof index === 'number' ? index : 0;
}

/** Channels for a block's other strings, such as tool results, which also arrive in pieces. */
function moreOf(event: JsonObject): string {
  return `0/more/${blockIndex(event)}/`;
}

function deltaPlaces(event: JsonObject, path: JsonPath, signed: boolean): Places {
  const index = blockIndex(event);
  const delta = objectOf(event.delta);
  const citation = `0/citation/${index}/`;
  const isSigned = objectOf(delta.reasoningContent).signature !== undefined;
  return [
    eachMember(delta, path, (value, at, name): Places => {
      switch (name) {
        case 'text':
          return textIn('text', delta, name, path, { channel: `0/text/${index}`, joins: 'text' });
        case 'toolUse':
          return textIn('tool_arguments', value, 'input', at, { channel: `0/tool/${index}`, isJson: true });
        case 'reasoningContent': {
          const marks = { channel: `0/reasoning/${index}`, joins: 'reasoning' };
          return textIn('reasoning', value, 'text', at, signed ? { ...marks, signed } : marks);
        }
        case 'image':
          return [];
        case 'citation':
          return { kind: 'text', value, path: at, under: citation };
        default:
          return isContainer(value) ? { kind: 'text', value, path: at, under: moreOf(event) } : [];
      }
    }),
    { ends: citation },
    isSigned ? { ends: `0/reasoning/${index}` } : [],
  ];
}
