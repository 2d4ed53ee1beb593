import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import type { Frame } from '../../streams/frame.ts';
import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { AnswerFacts, AnswerText, TextDelta, TokenText } from '../dialect.ts';
import { answerReaders, DONE, joinedMember, jsonReader, type Meaning, wholeDeltas } from './answer-reader.ts';
import { responsesCut } from './error-frames.ts';
import { arrayOf, objectOf, tokenCount } from './fields.ts';
import { addAnswerTextsIn } from './json-text.ts';
import { readOpenaiUsage } from './openai-usage.ts';
import { addListedTokens, tokensMember } from './token-texts.ts';

export const responsesAnswers = answerReaders(readResponse, createResponseReader);

function* readResponse(response: JsonObject): Work<AnswerFacts> {
  const found: Found = { texts: [], tokens: [], nameText: (path) => path.join('.') };
  yield* addOutput(found, response, []);
  const { texts, tokens } = found;
  return {
    usage: readOpenaiUsage(response.usage),
    texts,
    ...(yield* joinedMember(texts, joinedName)),
    ...tokensMember(tokens),
  };
}

/** Joins parts as `response.output_text` of OpenAI's SDKs does. Refusals and reasoning join separately. */
function joinedName({ kind, path: [, , list, , name, ...below] }: AnswerText): string | undefined {
  const isPart = (list === 'content' || list === 'summary') && below.length === 0;
  return isPart && (name === 'text' || name === 'refusal') ? `${kind}/${list}/${name}` : undefined;
}

interface Found {
  readonly texts: AnswerText[];
  readonly tokens: TokenText[];
  /** Names the text that tokens spell, by the path of that text. */
  readonly nameText: (path: JsonPath) => string;
}

function* addOutput(into: Found, response: JsonObject, path: JsonPath): Work<void> {
  for (const [index, item] of arrayOf(response.output).entries()) {
    yield* addItem(into, item, [...path, 'output', index]);
  }
}

/** Members of items and parts that carry model output, with their kind. The others are names and links. */
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

/** Adds an output item with its `content` and `summary` parts, or a content part with its text and tokens. */
function* addItem(
  into: Found,
  value: unknown,
  path: JsonPath,
  outer: AnswerText['kind'] = 'text',
): Work<void> {
  if (!isObject(value)) return;
  const kind = value.type === 'reasoning' || value.type === 'summary_text' ? 'reasoning' : outer;
  for (const name of Object.keys(value)) {
    const member = value[name];
    const at = [...path, name];
    // A custom tool's input and code are plain text, not JSON.
    if (name === 'arguments' && typeof member === 'string') {
      if (member !== '') into.texts.push({ kind: 'tool_arguments', text: member, path: at, isJson: true });
    } else if (name === 'content' || name === 'summary') {
      for (const [index, part] of arrayOf(member).entries()) {
        yield* addItem(into, part, [...at, index], kind);
      }
    } else if (name === 'logprobs') {
      yield* addListedTokens(into.tokens, member, at, into.nameText([...path, 'text']));
    } else {
      const words = WORDS.get(name);
      // Image data in Base64 contains no words and is far too long to read as text.
      if (words === undefined || (name === 'result' && value.type === 'image_generation_call')) continue;
      yield* addAnswerTextsIn(into.texts, kind === 'reasoning' ? 'reasoning' : words, member, at);
    }
  }
  yield ITEM_CHARS;
}

interface DeltaKind {
  readonly kind: TextDelta['kind'];
  /** Names the channel, together with the item and part numbers. */
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

/** Reads streamed events. The `.done` events and the last event repeat the texts of the deltas. */
function createResponseReader() {
  let response: JsonObject = {};
  let before: JsonObject = {};
  let sequence = 0;
  function* read(event: JsonObject, { data }: Frame): Work<Meaning> {
    // Some compatible servers add chat's end marker after the last event.
    if (data === '[DONE]') return DONE;
    const type = typeof event.type === 'string' ? event.type : '';
    before = response;
    if (isObject(event.response)) response = event.response;
    sequence = 1 + (tokenCount(event.sequence_number) ?? sequence);
    const usage = readOpenaiUsage(objectOf(event.response).usage);
    return {
      ...(yield* type.endsWith('.delta') ? readPiece(event, type) : readCopies(event, type)),
      ...(usage !== undefined && { usage }),
      ...(LAST.has(type) && { done: true }),
      ...((event.type === 'error' || event.type === 'response.failed') && { failed: true }),
    };
  }
  return jsonReader(
    (refusal, isLastWithheld) =>
      responsesCut(refusal, { response: isLastWithheld === true ? before : response, sequence }),
    read,
  );
}

type FoundTexts = Pick<Meaning, 'deltas' | 'ends' | 'tokens'>;

const SOUND = 'response.audio';

/** Unknown events with a string delta also stream text. */
function pieceNamed(name: string, { delta }: JsonObject): DeltaKind | undefined {
  const isText = typeof delta === 'string' && name !== SOUND;
  return PIECES.get(name) ?? (isText ? { kind: 'text', word: name } : undefined);
}

function* readPiece(event: JsonObject, type: string): Work<FoundTexts> {
  const piece = pieceNamed(type.slice(0, -'.delta'.length), event);
  if (piece === undefined) return yield* readCopies(event, type);
  const { word, ...kind } = piece;
  const name = channelOf(event, word);
  const { delta } = event;
  const hasText = typeof delta === 'string' && delta !== '';
  const tokens: TokenText[] = [];
  yield* addListedTokens(tokens, event.logprobs, ['logprobs'], name);
  return {
    deltas: hasText ? [{ channel: name, ...kind, text: delta, path: ['delta'] }] : [],
    ...tokensMember(tokens),
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

/** Channel words of item members that repeat streamed text. Content parts include their number instead. */
const WORDS_OF_ITEMS: ReadonlyMap<unknown, string> = new Map([
  ['arguments', 'tool'],
  ['input', 'tool'],
  ['code', 'tool'],
]);

/** Links a repeated text to the channel that streamed it, if there is one. */
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
function* readCopies(event: JsonObject, type: string): Work<FoundTexts> {
  const isReasoning = type.includes('.reasoning');
  const kind = isReasoning ? 'reasoning' : 'text';
  const under = `${itemOf(event)}repeat/`;
  const found: Found = { texts: [], tokens: [], nameText: (path) => under + path.join('.') };
  yield* addItem(found, { ...event, output: undefined }, [], kind);
  yield* addItem(found, event.item, ['item']);
  yield* addItem(found, event.part, ['part'], kind);
  yield* addOutput(found, objectOf(event.response), ['response']);
  const { texts, tokens } = found;
  return {
    deltas: (yield* wholeDeltas(texts, under, { repeats: true })).map((delta) => copyOf(delta, event, type)),
    ends: [...endsByEvent(event, type), under],
    ...tokensMember(tokens),
  };
}
