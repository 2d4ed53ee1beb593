import type { JsonPath } from '../../json/path.ts';
import type { JsonObject, TextDelta } from '../provider.ts';
import { arrayOf, isObject, objectOf } from './fields.ts';
import { textsIn } from './json-text.ts';

/** What is read of one choice. */
export interface ChoiceTexts {
  readonly deltas: TextDelta[];
  /** Channels of strings that come whole. */
  readonly ends: string[];
}

/** Names the call that an entry of `tool_calls` belongs to. */
export type NameCall = (choice: number, call: JsonObject, place: number) => string;

/** Calls of a whole answer: each entry is one. */
export const wholeCall: NameCall = (_choice, _call, place) => String(place);

/**
 * Calls of a stream: entries of one `index` are pieces of one call, until another `id` comes under it with a name (some
 * servers number all their calls 0). Without a name it is the same call: some servers give every piece an `id`.
 */
export function createCallNames(): NameCall {
  const calls = new Map<string, { id: unknown; count: number }>();
  return (choice, call, place) => {
    const index = typeof call.index === 'number' ? call.index : place;
    const { id } = call;
    const key = `${choice}/${index}`;
    const known = calls.get(key);
    if (known === undefined) calls.set(key, { id, count: 0 });
    else if (typeof id === 'string' && id !== '' && id !== known.id) {
      if (known.id !== undefined && isNamed(call)) known.count += 1;
      known.id = id;
    }
    const { count } = known ?? { count: 0 };
    return count === 0 ? String(index) : `${index}.${count}`;
  };
}

function isNamed(call: JsonObject): boolean {
  const name = objectOf(call.function).name ?? objectOf(call.custom).name;
  return typeof name === 'string' && name !== '';
}

/** Where a choice has its message: chat's `delta` or `message`; completions have none. */
export type MessageMember = 'message' | 'delta';

/**
 * Every text of one choice. Runs for every chunk of a stream: paths are made only for texts that are there.
 * @param index the choice's own number, which need not be its place
 */
export function readChoiceTexts(
  into: ChoiceTexts,
  choice: JsonObject,
  index: number,
  path: JsonPath,
  member: MessageMember,
  nameCall: NameCall,
): void {
  const add: Add = (from, name, at, channel, kind, isJson) => {
    const text = from[name];
    if (typeof text === 'string') {
      if (text === '') return;
      const delta: TextDelta = { channel: `${index}/${channel}`, kind, text, path: [...at, name] };
      into.deltas.push(isJson === true ? { ...delta, isJson } : delta);
    } else if (kind === 'tool_arguments' && isObject(text)) {
      addStringsIn(into, text, [...at, name], `${index}/${channel}/`);
    }
  };
  const message = choice[member];
  // Together's chunks say in `text` what their `delta` says: pieces of one text would come twice each.
  add(choice, 'text', path, isObject(message) ? 'beside/text' : 'text', 'text');
  // Mistral's fill-in-the-middle streams `delta` and answers `message`, as chat does.
  if (isObject(message))
    addMessage(add, message, [...path, member], (call, place) => nameCall(index, call, place));
}

/** Mistral may give arguments as an object: each string in it is a text of its own, and comes whole. */
function addStringsIn(into: ChoiceTexts, value: JsonObject, path: JsonPath, under: string): void {
  for (const found of textsIn(value, path)) {
    if (found.editable !== undefined) continue;
    const channel = under + found.path.slice(path.length).join('.');
    into.deltas.push({ channel, kind: 'tool_arguments', text: found.text, path: found.path });
    into.ends.push(channel);
  }
}

/** Adds the text that an object has under a name, if it has one; `at` is the object's own path. */
type Add = (
  from: JsonObject,
  name: string,
  at: JsonPath,
  channel: string,
  kind: TextDelta['kind'],
  isJson?: true,
) => void;

function addMessage(
  add: Add,
  message: JsonObject,
  at: JsonPath,
  nameCall: (call: JsonObject, place: number) => string,
): void {
  add(message, 'content', at, 'text', 'text');
  if (Array.isArray(message.content)) addContentParts(add, message.content, [...at, 'content']);
  add(message, 'reasoning_content', at, 'reasoning/reasoning_content', 'reasoning');
  add(message, 'reasoning', at, 'reasoning/reasoning', 'reasoning');
  arrayOf(message.reasoning_details).forEach((detail, d) => {
    if (!isObject(detail)) return;
    const path = [...at, 'reasoning_details', d];
    add(detail, 'text', path, 'reasoning/details/text', 'reasoning');
    add(detail, 'summary', path, 'reasoning/details/summary', 'reasoning');
  });
  add(message, 'refusal', at, 'refusal', 'text');
  if (isObject(message.audio)) add(message.audio, 'transcript', [...at, 'audio'], 'audio', 'text');
  if (isObject(message.function_call)) {
    const path = [...at, 'function_call'];
    add(message.function_call, 'arguments', path, 'function_call', 'tool_arguments', true);
  }
  arrayOf(message.tool_calls).forEach((call, place) => {
    if (!isObject(call)) return;
    addCall(add, call, nameCall(call, place), [...at, 'tool_calls', place]);
  });
}

/** Mistral's list of parts: `{type: 'text', text}`, `{type: 'thinking', thinking: [parts]}`. */
function addContentParts(add: Add, parts: readonly unknown[], path: JsonPath): void {
  parts.forEach((part, p) => {
    // Whoever fills such a list with a million numbers is not waited for.
    if (!isObject(part)) return;
    add(part, 'text', [...path, p], 'text', 'text');
    add(part, 'thinking', [...path, p], 'reasoning/thinking', 'reasoning');
    arrayOf(part.thinking).forEach((thought, t) => {
      add(objectOf(thought), 'text', [...path, p, 'thinking', t], 'reasoning/thinking', 'reasoning');
    });
  });
}

function addCall(add: Add, call: JsonObject, name: string, path: JsonPath): void {
  const channel = `tool/${name}`;
  add(objectOf(call.function), 'arguments', [...path, 'function'], channel, 'tool_arguments', true);
  // A tool without a schema takes text as it is.
  add(objectOf(call.custom), 'input', [...path, 'custom'], channel, 'tool_arguments');
}
