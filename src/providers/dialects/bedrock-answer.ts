import { addAll } from '../../add-all.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { AnswerFacts, AnswerText, TextDelta, Usage } from '../dialect.ts';
import { answerReaders, joinedMember, jsonReader, type Meaning, wholeDeltas } from './answer-reader.ts';
import { bedrockCut } from './error-frames.ts';
import { arrayOf, cacheApart, objectOf, tokenCount } from './fields.ts';
import { addAnswerTextsIn, answerTextsIn } from './json-text.ts';

/** Reads Converse answers and the frames of `converse-stream`, whose headers carry the event name. */
export const converseAnswers = answerReaders(readConverseAnswer, (request) => {
  const signed = signsReasoning(request?.model);
  return jsonReader(bedrockCut, (event, frame) => readConverseEvent(frame.event ?? '', event, [], signed));
});

function* readConverseAnswer(answer: JsonObject): Work<AnswerFacts> {
  const message = objectOf(objectOf(answer.output).message);
  const texts: AnswerText[] = [];
  for (const [index, block] of arrayOf(message.content).entries()) {
    yield* addBlockTexts(texts, objectOf(block), ['output', 'message', 'content', index]);
  }
  return { usage: readUsage(answer.usage), texts, ...(yield* joinedMember(texts, joinedName)) };
}

/** Joins `text` blocks with cited text, since citations split the text; joins reasoning separately. */
function joinedName({ kind, path: [, , , , name, list, , member] }: AnswerText): string | undefined {
  if (name === 'reasoningContent') return kind;
  const isCited = name === 'citationsContent' && list === 'content' && member === 'text';
  return isCited || (name === 'text' && list === undefined) ? kind : undefined;
}

function* addBlockTexts(into: AnswerText[], block: JsonObject, path: JsonPath): Work<void> {
  for (const name of Object.keys(block)) {
    const at = [...path, name];
    if (name === 'toolUse') {
      yield* addAnswerTextsIn(into, 'tool_arguments', objectOf(block[name]).input, [...at, 'input']);
    } else if (name === 'reasoningContent') {
      const { text, signature } = objectOf(objectOf(block[name]).reasoningText);
      if (typeof text !== 'string' || text === '') continue;
      const found = { kind: 'reasoning', text, path: [...at, 'reasoningText', 'text'] } as const;
      into.push(typeof signature === 'string' && signature !== '' ? { ...found, signed: true } : found);
    } else if (name !== 'image') {
      yield* addAnswerTextsIn(into, 'text', block[name], at);
    }
  }
  yield ITEM_CHARS;
}

/** Normalizes usage. `inputTokens` excludes cache reads and writes. Nova's invoke appends `Count`. */
function readUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  return cacheApart(
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheReadInputTokens ?? usage.cacheReadInputTokenCount,
    usage.cacheWriteInputTokens ?? usage.cacheWriteInputTokenCount,
    writtenFor1h(usage.cacheDetails),
  );
}

function writtenFor1h(details: unknown): number {
  return arrayOf(details)
    .map(objectOf)
    .filter((detail) => detail.ttl === '1h')
    .reduce((sum, detail) => sum + (tokenCount(detail.inputTokens) ?? 0), 0);
}

/** Reads Nova's own answers, which match Converse, and its stream, whose documents wrap each event in its name. */
export const novaAnswers = answerReaders(readConverseAnswer, () =>
  jsonReader(bedrockCut, (event) => {
    const name = Object.keys(event).find((member) => isObject(event[member])) ?? '';
    return readConverseEvent(name, objectOf(event[name]), [name], false);
  }),
);

/**
 * Reports whether a model signs its reasoning, as Claude does. ARNs of application inference profiles hide the model,
 * which may be Claude.
 */
function signsReasoning(model: string | undefined): boolean {
  return model === undefined || /anthropic|^arn:/.test(model);
}

/** Reads one event, whose content is at `path`. A reasoning signature follows all of its text. */
function* readConverseEvent(name: string, event: JsonObject, path: JsonPath, signed: boolean): Work<Meaning> {
  switch (name) {
    case 'contentBlockDelta':
      return yield* deltasOf(event, [...path, 'delta'], signed);
    case 'metadata': {
      // The last event of every stream, after `messageStop`.
      const usage = readUsage(event.usage);
      return { deltas: [], ends: ['*'], done: true, ...(usage === undefined ? {} : { usage }) };
    }
    case 'contentBlockStop':
      return {
        deltas: [],
        ends: ['text', 'tool', 'reasoning']
          .map((word) => `0/${word}/${blockIndex(event)}`)
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

/** Matches `throttlingException`, `modelStreamErrorException` and the like, and the codes of error messages. */
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

function* deltasOf(event: JsonObject, path: JsonPath, signed: boolean): Work<Meaning> {
  const index = blockIndex(event);
  const delta = objectOf(event.delta);
  const citation = `0/citation/${index}/`;
  const deltas: TextDelta[] = [];
  for (const name of Object.keys(delta)) {
    const value = delta[name];
    const at = [...path, name];
    switch (name) {
      case 'text':
        addAll(deltas, piece(`0/text/${index}`, 'text', value, at, { joins: 'text' }));
        break;
      case 'toolUse': {
        const { input } = objectOf(value);
        addAll(deltas, piece(`0/tool/${index}`, 'tool_arguments', input, [...at, 'input'], { isJson: true }));
        break;
      }
      case 'reasoningContent': {
        const { text } = objectOf(value);
        const marks = { ...(signed && { signed }), joins: 'reasoning' };
        addAll(deltas, piece(`0/reasoning/${index}`, 'reasoning', text, [...at, 'text'], marks));
        break;
      }
      case 'image':
        break;
      case 'citation':
        addAll(deltas, yield* wholeDeltas(yield* answerTextsIn('text', value, at), citation));
        break;
      default:
        if (!isObject(value) && !Array.isArray(value)) break;
        addAll(deltas, yield* wholeDeltas(yield* answerTextsIn('text', value, at), moreOf(event)));
    }
  }
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
