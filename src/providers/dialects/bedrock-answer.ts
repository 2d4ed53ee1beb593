import type { JsonPath } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import type {
  AnswerFacts,
  AnswerText,
  JsonObject,
  StreamEvent,
  StreamReader,
  TextDelta,
  Usage,
} from '../provider.ts';
import { bedrockCut } from './cuts.ts';
import { arrayOf, isObject, objectOf, parseData, tokenCount } from './fields.ts';
import { answerTextsIn, textsIn } from './json-text.ts';

/** Reads a whole Converse answer. */
export function readAnswer(body: unknown): AnswerFacts {
  const answer = objectOf(body);
  const message = objectOf(objectOf(answer.output).message);
  const texts = arrayOf(message.content).flatMap((block, index) =>
    blockTexts(objectOf(block), ['output', 'message', 'content', index]),
  );
  return { usage: readUsage(answer.usage), texts };
}

function blockTexts(block: JsonObject, path: JsonPath): AnswerText[] {
  return Object.keys(block).flatMap((name): AnswerText[] => {
    const at = [...path, name];
    if (name === 'toolUse') {
      return answerTextsIn('tool_arguments', objectOf(block[name]).input, [...at, 'input']);
    }
    if (name === 'reasoningContent') {
      const { text } = objectOf(objectOf(block[name]).reasoningText);
      if (typeof text !== 'string' || text === '') return [];
      return [{ kind: 'reasoning', text, path: [...at, 'reasoningText', 'text'] }];
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
export function createStreamReader(): StreamReader {
  return {
    read(frame: Frame): StreamEvent {
      return { frame, ...readEvent(frame.event ?? '', parseData(frame.data), []) };
    },
    cut: bedrockCut,
  };
}

/** What one event says; `path` is where its content stands in the frame's JSON. */
export function readEvent(name: string, event: JsonObject, path: JsonPath): Omit<StreamEvent, 'frame'> {
  switch (name) {
    case 'contentBlockDelta':
      return { deltas: deltasOf(event, [...path, 'delta']) };
    case 'metadata': {
      // The last event of every stream: the usage, after `messageStop`.
      const usage = readUsage(event.usage);
      return { deltas: [], done: true, ...(usage === undefined ? {} : { usage }) };
    }
    case 'messageStart':
    case 'contentBlockStart':
    case 'contentBlockStop':
    case 'messageStop':
      return { deltas: [] };
    default:
      return { deltas: [], ...(isException(name) ? { failed: true } : {}) };
  }
}

/** `throttlingException`, `modelStreamErrorException` …, and the codes of error messages. */
export function isException(eventName: string): boolean {
  return /(exception|error|failure)$/i.test(eventName);
}

function deltasOf(event: JsonObject, path: JsonPath): TextDelta[] {
  const index = typeof event.contentBlockIndex === 'number' ? event.contentBlockIndex : 0;
  const delta = objectOf(event.delta);
  return Object.keys(delta).flatMap((name): TextDelta[] => {
    const value = delta[name];
    const at = [...path, name];
    switch (name) {
      case 'text':
        return piece(`0/text/${index}`, 'text', value, at);
      case 'toolUse':
        return piece(`0/tool/${index}`, 'tool_arguments', objectOf(value).input, [...at, 'input']);
      case 'reasoningContent':
        return piece(`0/reasoning/${index}`, 'reasoning', objectOf(value).text, [...at, 'text']);
      case 'image':
        return [];
      default:
        return isObject(value) || Array.isArray(value)
          ? textsIn(value, at)
              .filter((found) => found.editable === undefined)
              .map(({ text, path: to }) => ({ channel: `0/${name}/${index}`, kind: 'text', text, path: to }))
          : [];
    }
  });
}

function piece(channel: string, kind: TextDelta['kind'], text: unknown, path: JsonPath): TextDelta[] {
  return typeof text === 'string' && text !== '' ? [{ channel, kind, text, path }] : [];
}
