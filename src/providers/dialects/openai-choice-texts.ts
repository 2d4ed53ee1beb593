import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import type { TextDelta } from '../dialect.ts';
import { objectOf } from './fields.ts';
import { eachIn, type Marks, type Places, stringsIn, textIn } from './places.ts';

/** Returns the name of the call to which an element of `tool_calls` belongs. */
type NameCall = (choice: number, call: JsonObject, position: number) => string;

/** In a whole answer, each element is one call. */
const wholeCall: NameCall = (_choice, _call, position) => String(position);

/**
 * Elements with the same `index` belong to one call until a new `id` arrives with a function name, because some
 * servers number every call 0. A new `id` without a name continues the call, because some servers give each piece a
 * new one.
 */
function createCallNames(): NameCall {
  const calls = new Map<string, { id: unknown; count: number }>();
  return (choice, call, position) => {
    const index = typeof call.index === 'number' ? call.index : position;
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

type MessageMember = 'message' | 'delta';

interface MessageTerms {
  /** The choice's `index` member, which may differ from its array index. */
  readonly index: number;
  /** Path of the choice. */
  readonly path: JsonPath;
  readonly member: MessageMember;
  readonly nameCall: NameCall;
  /** Set if the other member streams the same texts. */
  readonly isCopy?: boolean;
}

export function wholeChoice(choice: JsonObject, index: number, path: JsonPath): Places {
  return choicePlaces(choice, { index, path, member: 'message', nameCall: wholeCall });
}

function choicePlaces(choice: JsonObject, terms: MessageTerms): Places {
  const message = choice[terms.member];
  if (!isObject(message)) return textOn('text', 'text', choice, 'text', terms.path, terms);
  return [
    // Together repeats `delta` in `text`. On the same channel, every piece would appear twice.
    textOn('beside/text', 'text', choice, 'text', terms.path, terms),
    // Mistral's fill-in-the-middle uses `delta` in streams and `message` in answers, like chat.
    messagePlaces(message, terms),
  ];
}

/** Reads a member's text, if any, on the choice's channel `name`. */
function textOn(
  name: string,
  kind: TextDelta['kind'],
  object: unknown,
  member: string,
  path: JsonPath,
  terms: MessageTerms,
): Places {
  const isThere = isObject(object) && typeof object[member] === 'string';
  return isThere ? textIn(kind, object, member, path, channelOf(terms, name)) : [];
}

function channelOf({ index, member, isCopy }: MessageTerms, name: string): Marks & { channel: string } {
  const channel = `${index}/${name}`;
  return isCopy === true ? { channel: `${index}/${member}/${name}`, copies: channel } : { channel };
}

function messagePlaces(message: JsonObject, terms: MessageTerms): Places {
  const { index, nameCall } = terms;
  const at = [...terms.path, terms.member];
  return [
    // Clients read reasoning before content when a chunk has both.
    textOn('reasoning/reasoning_content', 'reasoning', message, 'reasoning_content', at, terms),
    textOn('reasoning/reasoning', 'reasoning', message, 'reasoning', at, terms),
    eachIn(message, 'reasoning_details', at, (detail, path) => [
      textOn('reasoning/details/text', 'reasoning', detail, 'text', path, terms),
      textOn('reasoning/details/summary', 'reasoning', detail, 'summary', path, terms),
    ]),
    textOn('text', 'text', message, 'content', at, terms),
    eachIn(message, 'content', at, (part, path) => partPlaces(part, path, terms)),
    textOn('refusal', 'text', message, 'refusal', at, terms),
    textOn('audio', 'text', message.audio, 'transcript', [...at, 'audio'], terms),
    argumentPlaces('function_call', message.function_call, 'arguments', [...at, 'function_call'], terms),
    eachIn(message, 'tool_calls', at, (call, path, position) =>
      isObject(call) ? callPlaces(call, path, nameCall(index, call, position), terms) : [],
    ),
  ];
}

/** Mistral's content parts: `{type: 'text', text}`, `{type: 'thinking', thinking: [parts]}`. */
function partPlaces(part: unknown, path: JsonPath, terms: MessageTerms): Places {
  return [
    textOn('text', 'text', part, 'text', path, terms),
    textOn('reasoning/thinking', 'reasoning', part, 'thinking', path, terms),
    eachIn(part, 'thinking', path, (thought, at) =>
      textOn('reasoning/thinking', 'reasoning', thought, 'text', at, terms),
    ),
  ];
}

function callPlaces(call: JsonObject, path: JsonPath, name: string, terms: MessageTerms): Places {
  const channel = `tool/${name}`;
  return ({ texts }) => {
    const before = texts.length;
    return [
      argumentPlaces(channel, call.function, 'arguments', [...path, 'function'], terms),
      argumentPlaces(channel, call.custom, 'input', [...path, 'custom'], terms),
      () => (texts.length === before && terms.isCopy !== true ? { begins: `${terms.index}/${channel}` } : []),
    ];
  };
}

/** Reads arguments as JSON, or the `input` of a tool without a schema as plain text. */
function argumentPlaces(
  name: string,
  call: unknown,
  member: string,
  path: JsonPath,
  terms: MessageTerms,
): Places {
  if (!isObject(call)) return [];
  if (isObject(call[member])) {
    // Mistral may send arguments as an object. Each string in it is a separate, whole text.
    const { channel: under, copies: copiesUnder } = channelOf(terms, `${name}/`);
    const marks = { under, unnamed: path.length + 1, ...(copiesUnder !== undefined && { copiesUnder }) };
    return [stringsIn('tool_arguments', call, member, path, marks), { ends: under }];
  }
  const marks = channelOf(terms, name);
  return textIn(
    'tool_arguments',
    call,
    member,
    path,
    member === 'input' ? marks : { ...marks, isJson: true },
  );
}

/**
 * Most servers stream `delta`; Mistral on Bedrock streams `message`. If a choice has both, the first one with text is
 * the stream and the other is a copy, because clients show either.
 */
export function createChunkTexts(): (choice: JsonObject, index: number, path: JsonPath) => Places {
  const nameCall = createCallNames();
  const speakers = new Map<number, MessageMember>();

  function ofMember(choice: JsonObject, index: number, path: JsonPath, member: MessageMember): Places {
    return ({ texts }) => {
      const speaker = speakers.get(index);
      const isCopy = speaker !== undefined && speaker !== member;
      const before = texts.length;
      return [
        messagePlaces(objectOf(choice[member]), {
          ...{ index, path, member, isCopy },
          nameCall: isCopy ? wholeCall : nameCall,
        }),
        () => {
          if (texts.length > before && speaker === undefined) speakers.set(index, member);
          return [];
        },
      ];
    };
  }

  return (choice, index, path) => {
    const hasMessage = isObject(choice.message);
    const hasDelta = isObject(choice.delta);
    const isPlain =
      !hasMessage && (!hasDelta || choice.text === undefined) && speakers.get(index) !== 'message';
    return ({ texts }) => {
      const before = texts.length;
      if (!isPlain) {
        return [
          hasDelta ? ofMember(choice, index, path, 'delta') : [],
          hasMessage ? ofMember(choice, index, path, 'message') : [],
          () => textBeside(choice, index, path, texts.slice(before)),
        ];
      }
      const places = choicePlaces(choice, { index, path, member: 'delta', nameCall });
      if (!hasDelta || speakers.has(index)) return places;
      return [
        places,
        () => {
          if (texts.length > before) speakers.set(index, 'delta');
          return [];
        },
      ];
    };
  };
}

/** Reads `text`, in which Together repeats `delta`. */
function textBeside(
  choice: JsonObject,
  index: number,
  path: JsonPath,
  found: readonly { readonly text: string }[],
): Places {
  const channel = `${index}/beside/text`;
  const isMirror = found.some(({ text }) => text === choice.text);
  return textIn('text', choice, 'text', path, isMirror ? { channel } : { channel, copies: `${index}/text` });
}
