import type { JsonPath } from '../../json/path.ts';
import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { BegunChannel, TextDelta } from '../dialect.ts';
import { wholeChannel } from './answer-reader.ts';
import { arrayOf, objectOf } from './fields.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { textsInSteps } from './json-text.ts';

export interface ChoiceTexts {
  readonly deltas: TextDelta[];
  /** Channels of strings that arrive whole. */
  readonly ends: string[];
  /** Calls without arguments so far. */
  readonly begins?: BegunChannel[];
}

/** Names the call that an entry of `tool_calls` belongs to. */
type NameCall = (choice: number, call: JsonObject, place: number) => string;

/** Names the calls of a whole answer, where each entry is one call. */
export const wholeCall: NameCall = (_choice, _call, place) => String(place);

/**
 * Names streamed calls. Entries with the same `index` belong to one call until another `id` arrives with a function
 * name: some servers number every call 0. Without a name, the call continues: some servers give each piece a new `id`.
 */
function createCallNames(): NameCall {
  const calls = new Map<string, { id: unknown; count: number }>();
  return (choice, call, place) => {
    const index = typeof call.index === 'number' ? call.index : place;
    const { id } = call;
    const key = `${choice}/${index}`;
    const known = calls.get(key);
    if (known === undefined) calls.set(key, { id, count: 0 });
    else if (typeof id === 'string' && id !== '' && id !== known.id) {
      if (known.id !== undefined && hasName(call)) known.count += 1;
      known.id = id;
    }
    const { count } = known ?? { count: 0 };
    return count === 0 ? String(index) : `${index}.${count}`;
  };
}

function hasName(call: JsonObject): boolean {
  const name = objectOf(call.function).name ?? objectOf(call.custom).name;
  return typeof name === 'string' && name !== '';
}

/** The member of a choice with its message in chat. */
type MessageMember = 'message' | 'delta';

/**
 * Reads the texts of one choice. Runs for every chunk of a stream, so it builds paths only for texts that it finds.
 * @param index the choice's own number, which may differ from its place
 */
export function* readChoiceTexts(
  into: ChoiceTexts,
  choice: JsonObject,
  index: number,
  path: JsonPath,
  member: MessageMember,
  nameCall: NameCall,
): Work<void> {
  const add: Add = (from, name, at, channel, kind, isJson) => {
    const text = from[name];
    if (typeof text !== 'string' || text === '') return;
    const delta: TextDelta = { channel: `${index}/${channel}`, kind, text, path: [...at, name] };
    into.deltas.push(isJson === true ? { ...delta, isJson } : delta);
  };
  const message = choice[member];
  // Together repeats `delta` in `text`: on one channel, every piece would appear twice.
  add(choice, 'text', path, isObject(message) ? 'beside/text' : 'text', 'text');
  // Mistral's fill-in-the-middle uses `delta` in streams and `message` in answers, like chat.
  if (isObject(message)) yield* addMessage({ into, add, index, nameCall }, message, [...path, member]);
}

interface ChoiceReading {
  readonly into: ChoiceTexts;
  readonly add: Add;
  readonly index: number;
  readonly nameCall: NameCall;
}

/** Mistral may send arguments as an object. Each string in it is a separate, whole text. */
function* addStringsIn(into: ChoiceTexts, value: JsonObject, path: JsonPath, under: string): Work<void> {
  for (const found of yield* textsInSteps(value, path)) {
    if (found.editable !== undefined) continue;
    const channel = wholeChannel(under, found.path.slice(path.length), into.deltas.length);
    into.deltas.push({ channel, kind: 'tool_arguments', text: found.text, path: found.path });
    into.ends.push(channel);
    yield ITEM_CHARS;
  }
}

/** Adds the text under `name`, if any. `at` is the path of `from`. */
type Add = (
  from: JsonObject,
  name: string,
  at: JsonPath,
  channel: string,
  kind: TextDelta['kind'],
  isJson?: true,
) => void;

function* addMessage(reading: ChoiceReading, message: JsonObject, at: JsonPath): Work<void> {
  const { add, index, nameCall } = reading;
  // Clients read reasoning first when a chunk has both.
  add(message, 'reasoning_content', at, 'reasoning/reasoning_content', 'reasoning');
  add(message, 'reasoning', at, 'reasoning/reasoning', 'reasoning');
  for (const [d, detail] of arrayOf(message.reasoning_details).entries()) {
    yield ITEM_CHARS;
    if (!isObject(detail)) continue;
    const path = [...at, 'reasoning_details', d];
    add(detail, 'text', path, 'reasoning/details/text', 'reasoning');
    add(detail, 'summary', path, 'reasoning/details/summary', 'reasoning');
  }
  add(message, 'content', at, 'text', 'text');
  if (Array.isArray(message.content)) yield* addContentParts(add, message.content, [...at, 'content']);
  add(message, 'refusal', at, 'refusal', 'text');
  if (isObject(message.audio)) add(message.audio, 'transcript', [...at, 'audio'], 'audio', 'text');
  if (isObject(message.function_call)) {
    const path = [...at, 'function_call'];
    yield* addArguments(reading, message.function_call, 'arguments', path, 'function_call', true);
  }
  for (const [place, call] of arrayOf(message.tool_calls).entries()) {
    yield ITEM_CHARS;
    if (!isObject(call)) continue;
    yield* addCall(reading, call, nameCall(index, call, place), [...at, 'tool_calls', place]);
  }
}

/** Mistral's content parts: `{type: 'text', text}`, `{type: 'thinking', thinking: [parts]}`. */
function* addContentParts(add: Add, parts: readonly unknown[], path: JsonPath): Work<void> {
  for (const [p, part] of parts.entries()) {
    yield ITEM_CHARS;
    if (!isObject(part)) continue;
    add(part, 'text', [...path, p], 'text', 'text');
    add(part, 'thinking', [...path, p], 'reasoning/thinking', 'reasoning');
    for (const [t, thought] of arrayOf(part.thinking).entries()) {
      yield ITEM_CHARS;
      add(objectOf(thought), 'text', [...path, p, 'thinking', t], 'reasoning/thinking', 'reasoning');
    }
  }
}

function* addCall(reading: ChoiceReading, call: JsonObject, name: string, path: JsonPath): Work<void> {
  const channel = `tool/${name}`;
  const { into, index } = reading;
  const before = into.deltas.length;
  if (isObject(call.function))
    yield* addArguments(reading, call.function, 'arguments', [...path, 'function'], channel, true);
  // A tool without a schema takes plain text.
  if (isObject(call.custom)) yield* addArguments(reading, call.custom, 'input', [...path, 'custom'], channel);
  if (into.deltas.length === before) into.begins?.push({ channel: `${index}/${channel}`, before });
}

function* addArguments(
  { into, add, index }: ChoiceReading,
  from: JsonObject,
  name: string,
  path: JsonPath,
  channel: string,
  isJson?: true,
): Work<void> {
  const value = from[name];
  if (isObject(value)) yield* addStringsIn(into, value, [...path, name], `${index}/${channel}/`);
  else add(from, name, path, channel, 'tool_arguments', isJson);
}

type ReadChunkTexts = (into: ChoiceTexts, choice: JsonObject, index: number, path: JsonPath) => Work<void>;

/**
 * Reads the texts of one choice, chunk by chunk. Most servers stream `delta`; Mistral on Bedrock streams `message`. If
 * a choice has both, the first one with text is the stream and the other is a copy, because clients show either.
 */
export function createChunkTexts(): ReadChunkTexts {
  const nameCall = createCallNames();
  const speakers = new Map<number, MessageMember>();

  function* readMember(
    into: ChoiceTexts,
    choice: JsonObject,
    index: number,
    path: JsonPath,
    member: MessageMember,
  ): Work<void> {
    const speaker = speakers.get(index);
    const isOther = speaker !== undefined && speaker !== member;
    const before = into.deltas.length;
    const found: Required<ChoiceTexts> = { deltas: [], ends: [], begins: [] };
    const alone = { [member]: choice[member] };
    yield* readChoiceTexts(found, alone, index, path, member, isOther ? wholeCall : nameCall);
    if (found.deltas.length > 0 && speaker === undefined) speakers.set(index, member);
    const own = `${index}/`;
    const beside = (channel: string): string => `${own}${member}/${channel.slice(own.length)}`;
    for (const delta of found.deltas) {
      into.deltas.push(isOther ? { ...delta, channel: beside(delta.channel), copies: delta.channel } : delta);
    }
    for (const begun of isOther ? [] : found.begins) {
      into.begins?.push({ ...begun, before: begun.before + before });
    }
    for (const channel of found.ends) into.ends.push(isOther ? beside(channel) : channel);
  }

  return function* (into, choice, index, path) {
    const hasMessage = isObject(choice.message);
    const hasDelta = isObject(choice.delta);
    const isPlain =
      !hasMessage && (!hasDelta || choice.text === undefined) && speakers.get(index) !== 'message';
    if (isPlain) {
      const before = into.deltas.length;
      yield* readChoiceTexts(into, choice, index, path, 'delta', nameCall);
      if (hasDelta && into.deltas.length > before) speakers.set(index, 'delta');
      return;
    }
    const before = into.deltas.length;
    if (hasDelta) yield* readMember(into, choice, index, path, 'delta');
    if (hasMessage) yield* readMember(into, choice, index, path, 'message');
    const beside = textBeside(choice, index, path, into.deltas.slice(before));
    if (beside !== undefined) into.deltas.push(beside);
  };
}

/** Reads `text`, in which Together repeats `delta`. */
function textBeside(
  { text }: JsonObject,
  index: number,
  path: JsonPath,
  found: readonly TextDelta[],
): TextDelta | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  const isMirror = found.some((delta) => delta.text === text);
  const beside = { channel: `${index}/beside/text`, kind: 'text', text, path: [...path, 'text'] } as const;
  return isMirror ? beside : { ...beside, copies: `${index}/text` };
}
