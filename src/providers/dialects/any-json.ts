import type { AnswerText, StreamReader, TextDelta } from '../provider.ts';
import { plainCut } from './cuts.ts';
import { isObject, parseJson } from './fields.ts';

/** A string in a document of no known dialect. */
interface LooseText {
  readonly text: string;
  readonly path: readonly (string | number)[];
  /** Where it stands, by the indexes that elements give themselves: the same in each event that goes on with it. */
  readonly place: string;
  /** It may be a piece of a text; what names, types or times something is none. */
  readonly mayGoOn: boolean;
}

/**
 * Reads a stream of no known dialect: an endpoint that the gateway does not know, or an error. Every string is a text
 * whose channel is its place; none counts as the model's.
 */
export function createAnyJsonReader(): StreamReader {
  return {
    read(frame) {
      const json = parseJson(frame.data);
      const deltas = looseTexts(json).map(({ text, path, place, mayGoOn }): TextDelta => ({
        channel: `any/${place}`,
        kind: 'text',
        text,
        path,
        repeats: true,
        ...(mayGoOn && { loose: true }),
      }));
      return {
        frame,
        deltas,
        ...(json !== undefined && { json }),
        ...(frame.data === '[DONE]' && { ends: ['*'] }),
      };
    },
    cut: plainCut,
  };
}

/** The texts of a list of documents, which a client may read as a stream: those of one place are one text. */
export function textsOverElements(elements: readonly unknown[]): readonly (readonly AnswerText[])[] {
  const byPlace = new Map<string, AnswerText[]>();
  for (const [index, element] of elements.entries()) {
    for (const { text, path, place, mayGoOn } of looseTexts(element)) {
      if (!mayGoOn) continue;
      const one: AnswerText = { kind: 'text', text, path: [index, ...path] };
      const known = byPlace.get(place);
      if (known === undefined) byPlace.set(place, [one]);
      else known.push(one);
    }
  }
  return [...byPlace.values()].filter(({ length }) => length > 1);
}

function looseTexts(json: unknown): LooseText[] {
  const found: LooseText[] = [];
  walk(json, [], '', undefined, found);
  return found;
}

/** Recursion is bounded by the depth of answers. `path` is one stack, copied for what is found. */
function walk(
  value: unknown,
  path: (string | number)[],
  place: string,
  name: string | undefined,
  found: LooseText[],
): void {
  if (typeof value === 'string') {
    if (value !== '') found.push({ text: value, path: [...path], place, mayGoOn: !isLabel(name, value) });
  } else if (Array.isArray(value)) {
    for (const [position, item] of value.entries()) {
      path.push(position);
      walk(item, path, joined(place, ownIndex(item) ?? position), name, found);
      path.pop();
    }
  } else if (isObject(value)) {
    const index = ownIndex(value);
    // Of an array's element its place says so already.
    const at = index === undefined || typeof path.at(-1) === 'number' ? place : joined(place, index);
    for (const member of Object.keys(value)) {
      path.push(member);
      walk(value[member], path, joined(at, member), member, found);
      path.pop();
    }
  }
}

function joined(place: string, step: string | number): string {
  return place === '' ? String(step) : `${place}.${step}`;
}

const INDEX = /index$/i;

/** What an element says of its own place (`index`, `contentBlockIndex`): texts that run at once are told by it. */
function ownIndex(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const indexes = Object.keys(value).filter((name) => INDEX.test(name) && typeof value[name] === 'number');
  return indexes.length === 0 ? undefined : indexes.map((name) => `${name}=${String(value[name])}`).join(',');
}

const LABEL_NAMES =
  /^(?:object|role|model|name|event|kind|status|state|version|timestamp|created_?at|.{0,40}id|.{0,40}reason|.{0,40}type|.{0,40}fingerprint)$/i;
const LABEL = /^[\w.:+/-]{1,128}$/;

/** What says which, of what kind or when, in one word: no client joins those of two events. */
function isLabel(name: string | undefined, value: string): boolean {
  return name !== undefined && value.length <= 128 && LABEL_NAMES.test(name) && LABEL.test(value);
}
