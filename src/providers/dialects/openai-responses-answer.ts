import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import type { AnswerText, TextDelta } from '../dialect.ts';
import { type AnswerReading, answerReaders, DONE, type EventReading, jsonReader } from './answer-reader.ts';
import { responsesCut } from './error-frames.ts';
import { objectOf, tokenCount } from './fields.ts';
import { readOpenaiUsage } from './openai-usage.ts';
import { eachIn, eachMember, type Marks, type Places, textIn } from './places.ts';
import { listedTokens } from './token-texts.ts';

export const responsesAnswers = answerReaders(readResponse, createResponseReader);

function readResponse(response: JsonObject): AnswerReading {
  const places = outputPlaces(response, [], { spelled: (path) => path.join('.') });
  return { usage: readOpenaiUsage(response.usage), places, joinedName };
}

/** Joins parts as `response.output_text` does in OpenAI's SDKs. Refusals and reasoning are joined separately. */
function joinedName({ kind, path: [, , list, , name, ...below] }: AnswerText): string | undefined {
  const isPart = (list === 'content' || list === 'summary') && below.length === 0;
  return isPart && (name === 'text' || name === 'refusal') ? `${kind}/${list}/${name}` : undefined;
}

interface ItemTerms {
  /** Returns the channel for tokens that spell the text at this path. */
  readonly spelled: (path: JsonPath) => string;
  readonly marks?: Marks;
}

function outputPlaces(response: JsonObject, path: JsonPath, terms: ItemTerms): Places {
  return eachIn(response, 'output', path, (item, at) => itemPlaces(item, at, terms));
}

/**
 * Item and part members with model output, and their kind. Apart from those that `itemPlaces` reads itself, all others
 * are names and links.
 */
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

/** Reads an output item with its `content` and `summary` parts, or a content part with its text and tokens. */
function itemPlaces(
  item: unknown,
  path: JsonPath,
  terms: ItemTerms,
  outer: AnswerText['kind'] = 'text',
): Places {
  if (!isObject(item)) return [];
  const { marks, spelled } = terms;
  const kind = item.type === 'reasoning' || item.type === 'summary_text' ? 'reasoning' : outer;
  return eachMember(item, path, (value, at, name) => {
    // A custom tool's input and code are plain text, not JSON.
    if (name === 'arguments' && typeof value === 'string') {
      return textIn('tool_arguments', item, name, path, { ...marks, isJson: true });
    }
    if (name === 'content' || name === 'summary') {
      return eachIn(item, name, path, (part, place) => itemPlaces(part, place, terms, kind));
    }
    if (name === 'logprobs') return listedTokens(item, name, path, spelled([...path, 'text']));
    const words = WORDS.get(name);
    // Base64 image data contains no words and is far too long to read as text.
    if (words === undefined || (name === 'result' && item.type === 'image_generation_call')) return [];
    return { ...marks, kind: kind === 'reasoning' ? 'reasoning' : words, value, path: at };
  });
}

interface DeltaKind {
  readonly kind: TextDelta['kind'];
  /** Names the channel, together with the item and part indexes. */
  readonly word: string;
  readonly isJson?: true;
  /** Clients join these texts across items. */
  readonly joins?: string;
}

/** Event types, without `.delta` or `.done`, that stream text. */
const PIECES: ReadonlyMap<string, DeltaKind> = new Map<string, DeltaKind>([
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

/** Returns a reader for streamed events. The `.done` events and the last event repeat the delta texts. */
function createResponseReader() {
  let response: JsonObject = {};
  let before: JsonObject = {};
  let sequence = 0;
  return jsonReader(
    (refusal, isLastWithheld) =>
      responsesCut(refusal, { response: isLastWithheld === true ? before : response, sequence }),
    (event, { data }): EventReading => {
      // Some compatible servers send chat's end marker after the last event.
      if (data === '[DONE]') return DONE;
      const type = typeof event.type === 'string' ? event.type : '';
      before = response;
      if (isObject(event.response)) response = event.response;
      sequence = 1 + (tokenCount(event.sequence_number) ?? sequence);
      const usage = readOpenaiUsage(objectOf(event.response).usage);
      return {
        ...(type.endsWith('.delta') ? readPiece(event, type) : readCopies(event, type)),
        ...(usage !== undefined && { usage }),
        ...(LAST.has(type) && { done: true }),
        ...((event.type === 'error' || event.type === 'response.failed') && { failed: true }),
      };
    },
  );
}

const SOUND = 'response.audio';

/** Treats unknown events with a string delta as streamed text. */
function pieceNamed(name: string, { delta }: JsonObject): DeltaKind | undefined {
  const isText = typeof delta === 'string' && name !== SOUND;
  return PIECES.get(name) ?? (isText ? { kind: 'text', word: name } : undefined);
}

function readPiece(event: JsonObject, type: string): EventReading {
  const piece = pieceNamed(type.slice(0, -'.delta'.length), event);
  if (piece === undefined) return readCopies(event, type);
  const { word, kind, ...marks } = piece;
  const channel = channelOf(event, word);
  return {
    places: [
      textIn(kind, event, 'delta', [], { channel, ...marks }),
      listedTokens(event, 'logprobs', [], channel),
    ],
  };
}

function channelOf(event: JsonObject, word: string): string {
  const part = event.content_index ?? event.summary_index ?? event.command_index;
  return `${itemOf(event)}${word}${typeof part === 'number' ? `/${part}` : ''}`;
}

function itemOf(event: JsonObject): string {
  return `${String(event.output_index ?? 0)}/`;
}

function endsByEvent(event: JsonObject, type: string): string[] {
  if (LAST.has(type)) return ['*'];
  if (!type.endsWith('.done')) return [];
  const piece = PIECES.get(type.slice(0, -'.done'.length));
  if (piece !== undefined) return [channelOf(event, piece.word)];
  if (type === 'response.output_item.done') return [itemOf(event)];
  return ['text', 'refusal', 'reasoning', 'summary'].map((word) => channelOf(event, word));
}

/** Channel words of item members that repeat streamed text. Content parts also have their index in the channel. */
const WORDS_OF_ITEMS: ReadonlyMap<unknown, string> = new Map([
  ['arguments', 'tool'],
  ['input', 'tool'],
  ['code', 'tool'],
]);

/** Links a repeated text to the channel that streamed it, if any. */
function copyOf(delta: TextDelta, event: JsonObject, type: string): TextDelta {
  const copies = copiedChannel(delta, event, type);
  return copies === undefined ? delta : { ...delta, copies };
}

function copiedChannel({ kind, path }: TextDelta, event: JsonObject, type: string): string | undefined {
  const [root] = path;
  if (path.length === 1) {
    const piece = PIECES.get(type.slice(0, type.lastIndexOf('.')));
    return piece && channelOf(event, piece.word);
  }
  const name = path.at(-1);
  if (root === 'part' && path.length === 2) {
    return channelOf(event, type.includes('summary') ? 'summary' : wordOfPart(name, kind));
  }
  if (root === 'item') return channelOfItem(itemOf(event), path.slice(1), kind);
  return root === 'response' ? channelOfItem(`${String(path[2])}/`, path.slice(3), kind) : undefined;
}

/** @param within the path below the item */
function channelOfItem(item: string, within: JsonPath, kind: TextDelta['kind']): string | undefined {
  const [list, part, name] = within;
  if (within.length === 1) {
    const word = WORDS_OF_ITEMS.get(list);
    return word && item + word;
  }
  if (within.length !== 3) return undefined;
  if (list === 'summary') return `${item}summary/${String(part)}`;
  return list === 'content' ? `${item}${wordOfPart(name, kind)}/${String(part)}` : undefined;
}

function wordOfPart(name: unknown, kind: TextDelta['kind']): string {
  if (name === 'refusal') return 'refusal';
  return kind === 'reasoning' ? 'reasoning' : 'text';
}

/** Reads texts that repeat earlier pieces or arrive whole. */
function readCopies(event: JsonObject, type: string): EventReading {
  const kind = type.includes('.reasoning') ? 'reasoning' : 'text';
  const under = `${itemOf(event)}repeat/`;
  const terms: ItemTerms = {
    spelled: (path) => under + path.join('.'),
    marks: { under, repeats: true },
  };
  return {
    places: [
      itemPlaces({ ...event, output: undefined }, [], terms, kind),
      itemPlaces(event.item, ['item'], terms),
      itemPlaces(event.part, ['part'], terms, kind),
      outputPlaces(objectOf(event.response), ['response'], terms),
      [...endsByEvent(event, type), under].map((ends) => ({ ends })),
    ],
    finish: ({ deltas }) => ({ deltas: deltas.map((delta) => copyOf(delta, event, type)) }),
  };
}
