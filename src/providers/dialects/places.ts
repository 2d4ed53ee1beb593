import { isContainer, isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonPath } from '../../json/path.ts';
import { ITEM_CHARS, type Stepwise, type Work } from '../../turns.ts';
import type { AnswerText, BegunChannel, TextDelta, TokenText } from '../dialect.ts';
import { TextWalk } from './json-text.ts';

export interface Marks extends Pick<
  TextDelta,
  'isJson' | 'signed' | 'joins' | 'repeats' | 'copies' | 'part'
> {
  readonly channel?: string;
  /** In a stream, the channel prefix for texts that arrive whole, each on its own channel. Ends in `/`. */
  readonly under?: string;
  /** Same as `under`, for `copies`. */
  readonly copiesUnder?: string;
  /** Number of leading path steps to omit from channel names below `under`. */
  readonly unnamed?: number;
}

interface MarkedText extends AnswerText, Marks {}

/** A value whose strings are texts. */
interface ValuePlace extends Marks {
  readonly kind: AnswerText['kind'];
  readonly value: unknown;
  readonly path: JsonPath;
}

type ChannelMark = { readonly begins: string } | { readonly ends: string };

interface ListPlace {
  /** Array elements, or the member names of `object`. */
  readonly list: readonly unknown[];
  readonly object: JsonObject | undefined;
  readonly path: JsonPath;
  readonly read: (value: unknown, path: JsonPath, step: never) => Places;
}

/**
 * The places to read in an answer, in order. Functions are called and elements are read only when their turn comes,
 * so that each step is short even for a hostile answer with hundreds of thousands of elements.
 */
export type Places =
  | MarkedText
  | ValuePlace
  | TokenText
  | ChannelMark
  | ListPlace
  | readonly Places[]
  | ((found: FoundSoFar) => Places);

export interface FoundSoFar {
  readonly texts: readonly AnswerText[];
}

const NONE: readonly never[] = [];

/** Reads the text in a member if it is a non-empty string. `path` is the path of `object`. */
export function textIn(
  kind: AnswerText['kind'],
  object: unknown,
  name: string,
  path: JsonPath,
  marks?: Marks,
): Places {
  const text = isObject(object) ? object[name] : undefined;
  return typeof text === 'string' && text !== '' ? { kind, text, path: [...path, name], ...marks } : NONE;
}

export function stringsIn(
  kind: AnswerText['kind'],
  object: unknown,
  name: string,
  path: JsonPath,
  marks?: Marks,
): Places {
  const value = isObject(object) ? object[name] : undefined;
  return value === undefined ? NONE : { kind, value, path: [...path, name], ...marks };
}

export function eachIn(
  object: unknown,
  name: string,
  path: JsonPath,
  read: (element: unknown, path: JsonPath, index: number) => Places,
): Places {
  const list = isObject(object) ? object[name] : undefined;
  if (!Array.isArray(list) || list.length === 0) return NONE;
  return { list, object: undefined, path: [...path, name], read };
}

export function eachMember(
  object: JsonObject,
  path: JsonPath,
  read: (value: unknown, path: JsonPath, name: string) => Places,
): Places {
  return { list: Object.keys(object), object, path, read };
}

/** Adds tokens from a list that was collected while reading. */
export function eachToken<Item>(list: readonly Item[], tokenOf: (item: Item) => TokenText): Places {
  return { list, object: undefined, path: NONE, read: (item) => tokenOf(item as Item) };
}

abstract class Found implements FoundSoFar {
  abstract readonly texts: readonly AnswerText[];
  readonly tokens: TokenText[] = [];

  abstract add(text: MarkedText): void;
  abstract mark(mark: ChannelMark): void;
}

interface PendingList extends Pick<ListPlace, 'list' | 'object' | 'path'> {
  /** Undefined for a list of places. */
  readonly read: ListPlace['read'] | undefined;
  next: number;
}

const STEP_ITEMS = 16;

class PlaceReader {
  readonly #found: Found;
  /** The innermost is last. */
  readonly #pending: (PendingList | TextWalk)[] = [];

  constructor(places: Places, found: Found) {
    this.#found = found;
    this.#open(places);
  }

  /** Reads up to this many items. Returns true at the end. */
  readOn(items: number): boolean {
    const pending = this.#pending;
    for (let left = items; left > 0; left -= 1) {
      const last = pending[pending.length - 1];
      if (last === undefined) return true;
      if (last instanceof TextWalk) {
        if (last.readOn()) pending.pop();
        left -= STEP_ITEMS;
      } else if (last.next === last.list.length) pending.pop();
      else this.#openNext(last);
    }
    return pending.length === 0;
  }

  #openNext(pending: PendingList): void {
    const { list, object, path, read, next } = pending;
    pending.next = next + 1;
    const item = list[next];
    if (read === undefined) this.#open(item as Places);
    else if (object === undefined) this.#open(read(item, [...path, next], next as never));
    else this.#open(read(object[item as string], [...path, item as string], item as never));
  }

  #open(places: Places): void {
    if (typeof places === 'function') this.#open(places(this.#found));
    else if (Array.isArray(places)) {
      if (places.length > 0)
        this.#pending.push({ list: places, object: undefined, path: NONE, read: undefined, next: 0 });
    } else if ('blank' in places) this.#found.tokens.push(places);
    else if ('text' in places) this.#found.add(places);
    else if ('value' in places) this.#openValue(places);
    else if ('list' in places) this.#pending.push({ ...places, next: 0 });
    else this.#found.mark(places as ChannelMark);
  }

  #openValue({ value, ...place }: ValuePlace): void {
    const found = this.#found;
    if (typeof value === 'string') {
      if (value !== '') found.add({ ...place, text: value });
    } else if (typeof value === 'number' || isContainer(value)) {
      const walk = new TextWalk(value, place.path, (text, path, isEditable) =>
        found.add({ ...place, text, path, ...(!isEditable && { editable: false }) }),
      );
      this.#pending.push(walk);
    }
  }
}

/** Builds a document reader from a plain function that returns the places to read. */
export function placesReader<Input, Result>(
  begin: (input: Input) => { readonly places: Places; readonly found: Found; finish(): Result },
): Stepwise<Input, Result> {
  function now(input: Input): Result {
    const { places, found, finish } = begin(input);
    new PlaceReader(places, found).readOn(Infinity);
    return finish();
  }
  function* inSteps(input: Input): Work<Result> {
    const { places, found, finish } = begin(input);
    const reader = new PlaceReader(places, found);
    while (!reader.readOn(STEP_ITEMS)) yield STEP_ITEMS * ITEM_CHARS;
    return finish();
  }
  return Object.assign(now, { inSteps });
}

/** Returns the name of a text's group, or undefined if clients never concatenate the text. */
export type JoinedName = (text: AnswerText, channel: string | undefined) => string | undefined;

export class FoundInAnswer extends Found {
  readonly texts: AnswerText[] = [];
  readonly #groups = new Map<string, AnswerText[]>();
  readonly #joinedName: JoinedName | undefined;

  constructor(joinedName: JoinedName | undefined) {
    super();
    this.#joinedName = joinedName;
  }

  add(marked: MarkedText): void {
    const { kind, channel, under, editable } = marked;
    // Arguments are never joined, because each is a separate document.
    const isSeparate = kind === 'tool_arguments' || editable !== undefined;
    const group = isSeparate ? undefined : this.#joinedName?.(marked, channel);
    if (channel === undefined && under === undefined) this.#addTo(group, marked);
    else if (editable === undefined) {
      const { text, path, isJson } = marked;
      this.#addTo(group, { kind, text, path, ...(isJson !== undefined && { isJson }) });
    }
  }

  #addTo(group: string | undefined, text: AnswerText): void {
    this.texts.push(text);
    if (group === undefined) return;
    const known = this.#groups.get(group);
    if (known === undefined) this.#groups.set(group, [text]);
    else known.push(text);
  }

  mark(): void {
    // A whole answer has no channels.
  }

  get joined(): readonly (readonly AnswerText[])[] {
    return [...this.#groups.values()].filter(({ length }) => length > 1);
  }
}

export class FoundInEvent extends Found {
  readonly texts: TextDelta[] = [];
  readonly ends: string[] = [];
  readonly begins: BegunChannel[] = [];

  add(marked: MarkedText): void {
    if (marked.editable !== undefined) return;
    if (marked.under === undefined) this.texts.push(marked as TextDelta);
    else {
      const { under, copiesUnder, unnamed, ...text } = marked;
      const name = wholeName(text.path.slice(unnamed), this.texts.length);
      this.texts.push({
        ...text,
        channel: under + name,
        ...(copiesUnder !== undefined && { copies: copiesUnder + name }),
      });
    }
  }

  mark(mark: ChannelMark): void {
    if ('ends' in mark) this.ends.push(mark.ends);
    else this.begins.push({ channel: mark.begins, before: this.texts.length });
  }
}

const MAX_NAME_CHARS = 64;

/** Names a text's own channel by its path, or by number if a long member name would be repeated in many names. */
function wholeName(path: JsonPath, nth: number): string {
  const isLong = path.some((step) => typeof step === 'string' && step.length > MAX_NAME_CHARS);
  return isLong ? `#${String(nth)}` : path.join('.');
}
