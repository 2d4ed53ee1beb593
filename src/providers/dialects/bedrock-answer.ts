import type { JsonPath } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import type {
  AnswerFacts,
  AnswerText,
  JsonObject,
  RequestFacts,
  StreamEvent,
  StreamReader,
  TextDelta,
  Usage,
} from '../provider.ts';
import { bedrockCut } from './cuts.ts';
import { wholeDeltas } from './deltas.ts';
import { arrayOf, isObject, objectOf, parseJson, tokenCount } from './fields.ts';
import { joinedMember } from './joined-texts.ts';
import { answerTextsIn } from './json-text.ts';

/** Reads a whole Converse answer. */
export function readAnswer(body: unknown): AnswerFacts {
  const answer = objectOf(body);
  const message = objectOf(objectOf(answer.output).message);
  const texts = arrayOf(message.content).flatMap((block, index) =>
    blockTexts(objectOf(block), ['output', 'message', 'content', index]),
  );
  return { usage: readUsage(answer.usage), texts, ...joinedMember(texts, joinedName) };
}

/** A block's `text`, and the text between whose parts its citations stand; what was thought apart. */
function joinedName({ kind, path: [, , , , name, list, , member] }: AnswerText): string | undefined {
  if (name === 'reasoningContent') return kind;
  const isCited = name === 'citationsContent' && list === 'content' && member === 'text';
  return isCited || (name === 'text' && list === undefined) ? kind : undefined;
}

function blockTexts(block: JsonObject, path: JsonPath): AnswerText[] {
  return Object.keys(block).flatMap((name): AnswerText[] => {
    const at = [...path, name];
    if (name === 'toolUse') {
      return answerTextsIn('tool_arguments', objectOf(block[name]).input, [...at, 'input']);
    }
    if (name === 'reasoningContent') {
      const { text, signature } = objectOf(objectOf(block[name]).reasoningText);
      if (typeof text !== 'string' || text === '') return [];
      const found = { kind: 'reasoning', text, path: [...at, 'reasoningText', 'text'] } as const;
      return [typeof signature === 'string' && signature !== '' ? { ...found, signed: true } : found];
    }
    return name === 'image' ? [] : answerTextsIn('text', block[name], at);
  });
}

/**
 * Normalises Converse usage: `inputTokens` counts neither cache reads nor writes there. Nova's own invoke
 * format names the cache counts with a trailing `Count`.
 */
export function readUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  return cacheApart(
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheReadInputTokens ?? usage.cacheReadInputTokenCount,
    usage.cacheWriteInputTokens ?? usage.cacheWriteInputTokenCount,
    writtenFor1h(usage.cacheDetails),
  );
}

/** Usage from counts of which the first leaves cache reads and writes out. */
export function cacheApart(
  fresh: unknown,
  output: unknown,
  cacheRead: unknown,
  cacheWrite: unknown,
  for1h = 0,
): Usage | undefined {
  const freshTokens = tokenCount(fresh);
  const outputTokens = tokenCount(output);
  if (freshTokens === undefined || outputTokens === undefined) return undefined;
  const cacheReadTokens = tokenCount(cacheRead) ?? 0;
  const written = tokenCount(cacheWrite) ?? 0;
  const cacheWrite1hTokens = Math.min(for1h, written);
  return {
    inputTokens: freshTokens + cacheReadTokens + written,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: written - cacheWrite1hTokens,
    cacheWrite1hTokens,
  };
}

function writtenFor1h(details: unknown): number {
  return arrayOf(details)
    .map(objectOf)
    .filter((detail) => detail.ttl === '1h')
    .reduce((sum, detail) => sum + (tokenCount(detail.inputTokens) ?? 0), 0);
}

/** Reads the frames of `converse-stream`: the event's name is in the frame's headers, its content the payload. */
export function createStreamReader(request?: RequestFacts): StreamReader {
  const signed = signsReasoning(request?.model);
  return {
    read(frame: Frame): StreamEvent {
      const json = parseJson(frame.data);
      return { frame, json, ...readEvent(frame.event ?? '', objectOf(json), [], signed) };
    },
    cut: bedrockCut,
  };
}

/** Claude signs what it thought, and an application's own profile does not say which model it stands for. */
function signsReasoning(model: string | undefined): boolean {
  return model === undefined || /anthropic|^arn:/.test(model);
}

/**
 * What one event says; `path` is where its content stands in the frame's JSON. The signature of reasoning comes after
 * all of its text.
 */
export function readEvent(
  name: string,
  event: JsonObject,
  path: JsonPath,
  signed: boolean,
): Omit<StreamEvent, 'frame'> {
  switch (name) {
    case 'contentBlockDelta':
      return deltasOf(event, [...path, 'delta'], signed);
    case 'metadata': {
      // The last event of every stream: the usage, after `messageStop`.
      const usage = readUsage(event.usage);
      return { deltas: [], ends: ['*'], done: true, ...(usage === undefined ? {} : { usage }) };
    }
    case 'contentBlockStop':
      return {
        deltas: [],
        ends: ['text', 'tool', 'reasoning']
          .map((word) => `0/${word}/${indexOf(event)}`)
          .concat(moreOf(event)),
      };
    case 'messageStop':
      return { deltas: [], ends: ['*'] };
    case 'messageStart':
    case 'contentBlockStart':
      return { deltas: [] };
    default:
      return { deltas: [], ...(isException(name) ? { failed: true } : {}) };
  }
}

/** `throttlingException`, `modelStreamErrorException` …, and the codes of error messages. */
export function isException(eventName: string): boolean {
  return /(exception|error|failure)$/i.test(eventName);
}

function indexOf({ contentBlockIndex: index }: JsonObject): number {
  return typeof index === 'number' ? index : 0;
}

/** Channels of a block's other strings, such as the results of a tool, which come in pieces too. */
function moreOf(event: JsonObject): string {
  return `0/more/${indexOf(event)}/`;
}

function deltasOf(event: JsonObject, path: JsonPath, signed: boolean): Omit<StreamEvent, 'frame'> {
  const index = indexOf(event);
  const delta = objectOf(event.delta);
  const citation = `0/citation/${index}/`;
  const deltas = Object.keys(delta).flatMap((name): TextDelta[] => {
    const value = delta[name];
    const at = [...path, name];
    switch (name) {
      case 'text':
        return piece(`0/text/${index}`, 'text', value, at, { joins: 'text' });
      case 'toolUse':
        return piece(`0/tool/${index}`, 'tool_arguments', objectOf(value).input, [...at, 'input'], {
          isJson: true,
        });
      case 'reasoningContent':
        return piece(`0/reasoning/${index}`, 'reasoning', objectOf(value).text, [...at, 'text'], {
          ...(signed && { signed }),
          joins: 'reasoning',
        });
      case 'image':
        return [];
      case 'citation':
        return wholeDeltas(answerTextsIn('text', value, at), citation);
      default:
        return isObject(value) || Array.isArray(value)
          ? wholeDeltas(answerTextsIn('text', value, at), moreOf(event))
          : [];
    }
  });
  const isSigned = objectOf(delta.reasoningContent).signature !== undefined;
  return { deltas, ends: isSigned ? [citation, `0/reasoning/${index}`] : [citation] };
}

function piece(
  channel: string,
  kind: TextDelta['kind'],
  text: unknown,
  path: JsonPath,
  marks: Pick<TextDelta, 'isJson' | 'signed' | 'joins'> = {},
): TextDelta[] {
  return typeof text === 'string' && text !== '' ? [{ channel, kind, text, path, ...marks }] : [];
}
