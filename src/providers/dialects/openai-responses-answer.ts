import type { JsonPath } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import type {
  AnswerFacts,
  AnswerText,
  JsonObject,
  StreamEvent,
  StreamReader,
  TextDelta,
  TokenText,
} from '../provider.ts';
import { responsesCut } from './cuts.ts';
import { wholeDeltas } from './deltas.ts';
import { arrayOf, isObject, objectOf, parseJson, tokenCount } from './fields.ts';
import { joinedMember } from './joined-texts.ts';
import { answerTextsIn } from './json-text.ts';
import { readOpenaiUsage } from './openai-usage.ts';
import { listedTokens, tokensMember } from './token-texts.ts';

/** Reads a whole response: its output items and usage. */
export function readResponse(body: unknown): AnswerFacts {
  const response = objectOf(body);
  const texts = outputTexts(response, []);
  return {
    usage: readOpenaiUsage(response.usage),
    texts,
    ...joinedMember(texts, joinedName),
    ...tokensMember(outputTokens(response, [], (path) => path.join('.'))),
  };
}

/** `response.output_text` of OpenAI's SDKs: the text of all parts of all messages. Refusals and thoughts alike, apart. */
function joinedName({ kind, path: [, , list, , name, ...below] }: AnswerText): string | undefined {
  const isPart = (list === 'content' || list === 'summary') && below.length === 0;
  return isPart && (name === 'text' || name === 'refusal') ? `${kind}/${list}/${name}` : undefined;
}

function outputTexts(response: JsonObject, path: JsonPath): AnswerText[] {
  return arrayOf(response.output).flatMap((item, index) => itemTexts(item, [...path, 'output', index]));
}

/** Members of items and parts that carry the model's words, with their kind. Others name and link. */
const WORDS: ReadonlyMap<string, AnswerText['kind']> = new Map([
  ['text', 'text'],
  ['refusal', 'text'],
  ['transcript', 'text'],
  ['arguments', 'tool_arguments'],
  ['input', 'tool_arguments'],
  ['code', 'tool_arguments'],
  ['action', 'tool_arguments'],
  ['operation', 'tool_arguments'],
  ['queries', 'tool_arguments'],
  ['output', 'text'],
  ['outputs', 'text'],
  ['results', 'text'],
  ['result', 'text'],
  ['error', 'text'],
  ['annotations', 'text'],
  ['tools', 'text'],
]);

/** An output item or content part: its own words, and those of its `content` and `summary` lists. */
function itemTexts(value: unknown, path: JsonPath, outer: AnswerText['kind'] = 'text'): AnswerText[] {
  if (!isObject(value)) return [];
  const kind = value.type === 'reasoning' || value.type === 'summary_text' ? 'reasoning' : outer;
  return Object.entries(value).flatMap(([name, member]) => {
    const at = [...path, name];
    if (name === 'content' || name === 'summary') {
      return arrayOf(member).flatMap((part, index) => itemTexts(part, [...at, index], kind));
    }
    // A custom tool's input and code are text as they are.
    if (name === 'arguments' && typeof member === 'string') {
      return member === '' ? [] : [{ kind: 'tool_arguments', text: member, path: at, isJson: true }];
    }
    const words = WORDS.get(name);
    // An image comes as base64: no words in it, and far too long to read as such.
    if (words === undefined || (name === 'result' && value.type === 'image_generation_call')) return [];
    return answerTextsIn(kind === 'reasoning' ? 'reasoning' : words, member, at);
  });
}

/** Names the text that tokens at a path spell, by that text's path. */
type NameText = (path: JsonPath) => string;

function outputTokens(response: JsonObject, path: JsonPath, nameText: NameText): TokenText[] {
  return arrayOf(response.output).flatMap((item, index) =>
    itemTokens(item, [...path, 'output', index], nameText),
  );
}

/** A content part has its tokens beside its text, an item has parts. */
function itemTokens(value: unknown, path: JsonPath, nameText: NameText): TokenText[] {
  const item = objectOf(value);
  return [
    ...listedTokens(item.logprobs, [...path, 'logprobs'], nameText([...path, 'text'])),
    ...arrayOf(item.content).flatMap((part, index) =>
      itemTokens(part, [...path, 'content', index], nameText),
    ),
  ];
}

interface Piece {
  readonly kind: TextDelta['kind'];
  /** Names its channel, together with the numbers of its item and part. */
  readonly word: string;
  readonly isJson?: true;
  /** Clients join those of all items. */
  readonly joins?: string;
}

/** Events that carry a new piece of text in `delta`, without their ending: each has a `.delta` and a `.done`. */
const PIECES: ReadonlyMap<string, Piece> = new Map<string, Piece>([
  ['response.output_text', { kind: 'text', word: 'text', joins: 'text' }],
  ['response.refusal', { kind: 'text', word: 'refusal', joins: 'refusal' }],
  ['response.audio.transcript', { kind: 'text', word: 'audio' }],
  ['response.reasoning_text', { kind: 'reasoning', word: 'reasoning', joins: 'reasoning' }],
  ['response.reasoning_summary_text', { kind: 'reasoning', word: 'summary', joins: 'summary' }],
  ['response.function_call_arguments', { kind: 'tool_arguments', word: 'tool', isJson: true }],
  ['response.mcp_call_arguments', { kind: 'tool_arguments', word: 'tool', isJson: true }],
  ['response.custom_tool_call_input', { kind: 'tool_arguments', word: 'tool' }],
  ['response.code_interpreter_call_code', { kind: 'tool_arguments', word: 'tool' }],
  ['response.shell_call_command', { kind: 'tool_arguments', word: 'tool' }],
]);

const LAST: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/**
 * Reads the events of a streamed response. The `.done` events, and the last one, say again what the deltas
 * said: those copies are marked as repeats.
 */
export function createResponseReader(): StreamReader {
  let response: JsonObject = {};
  let sequence = 0;
  return {
    read(frame: Frame): StreamEvent {
      // Some compatible servers close with chat's end marker after the last event.
      if (frame.data === '[DONE]') return { frame, deltas: [], ends: ['*'], done: true };
      const json = parseJson(frame.data);
      const event = objectOf(json);
      const type = typeof event.type === 'string' ? event.type : '';
      if (isObject(event.response)) response = event.response;
      sequence = 1 + (tokenCount(event.sequence_number) ?? sequence);
      const usage = readOpenaiUsage(objectOf(event.response).usage);
      return {
        frame,
        json,
        ...(type.endsWith('.delta') ? readPiece(event, type) : readCopies(event, type)),
        ...(usage !== undefined && { usage }),
        ...(LAST.has(type) && { done: true }),
        ...((event.type === 'error' || event.type === 'response.failed') && { failed: true }),
      };
    },
    cut: (refusal) => responsesCut(refusal, { response, sequence }),
  };
}

type Said = Pick<StreamEvent, 'deltas' | 'ends' | 'tokens'>;

/** Sound in base64. */
const SOUND = 'response.audio';

/** What streams as a string streams in pieces, also where its event is not known. */
function pieceNamed(name: string, { delta }: JsonObject): Piece | undefined {
  const isText = typeof delta === 'string' && name !== SOUND;
  return PIECES.get(name) ?? (isText ? { kind: 'text', word: name } : undefined);
}

function readPiece(event: JsonObject, type: string): Said {
  const piece = pieceNamed(type.slice(0, -'.delta'.length), event);
  if (piece === undefined) return readCopies(event, type);
  const { word, ...kind } = piece;
  const name = channelOf(event, word);
  const { delta } = event;
  const hasText = typeof delta === 'string' && delta !== '';
  return {
    deltas: hasText ? [{ channel: name, ...kind, text: delta, path: ['delta'] }] : [],
    ...tokensMember(listedTokens(event.logprobs, ['logprobs'], name)),
  };
}

/** One channel for each output item and content part. */
function channelOf(event: JsonObject, word: string): string {
  const part = event.content_index ?? event.summary_index ?? event.command_index;
  return `${itemOf(event)}${word}${typeof part === 'number' ? `/${part}` : ''}`;
}

function itemOf(event: JsonObject): string {
  return `${String(event.output_index ?? 0)}/`;
}

/** The channels of text to which an event says that nothing comes any more. */
function endsOf(event: JsonObject, type: string): string[] {
  if (LAST.has(type)) return ['*'];
  if (!type.endsWith('.done')) return [];
  const piece = PIECES.get(type.slice(0, -'.done'.length));
  if (piece !== undefined) return [channelOf(event, piece.word)];
  if (type === 'response.output_item.done') return [itemOf(event)];
  return ['text', 'refusal', 'reasoning', 'summary'].map((word) => channelOf(event, word));
}

/** Every text in the event says again what came in pieces, or comes whole. */
function readCopies(event: JsonObject, type: string): Said {
  const isReasoning = type.includes('.reasoning');
  const kind = isReasoning ? 'reasoning' : 'text';
  const texts = [
    ...itemTexts({ ...event, output: undefined }, [], kind),
    ...itemTexts(event.item, ['item']),
    ...itemTexts(event.part, ['part'], kind),
    ...outputTexts(objectOf(event.response), ['response']),
  ];
  const under = `${itemOf(event)}repeat/`;
  const nameText: NameText = (path) => under + path.join('.');
  const tokens = [
    ...itemTokens(event, [], nameText),
    ...itemTokens(event.item, ['item'], nameText),
    ...itemTokens(event.part, ['part'], nameText),
    ...outputTokens(objectOf(event.response), ['response'], nameText),
  ];
  return {
    deltas: wholeDeltas(texts, under).map((delta) => ({ ...delta, repeats: true })),
    ends: [...endsOf(event, type), under],
    ...tokensMember(tokens),
  };
}
