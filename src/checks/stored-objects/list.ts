import { isContainer, isObject } from '../../json/is-object.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { ObjectNames } from '../../providers/descriptor.ts';
import { ownId } from '../../providers/objects-in-answers.ts';
import type { Answered } from '../../pipeline/exchange.ts';

export interface ListedObject {
  readonly id: string | undefined;
  readonly remove: JsonEdit;
}

interface StoredList {
  readonly elements: readonly ListedObject[];
  /** Members that are neither arrays nor single values, and could contain other keys' objects. */
  readonly others: readonly JsonEdit[];
}

/** Parses a list of stored objects: an array, or an object with arrays and single values. */
export function readStoredList(json: unknown, names: ObjectNames): StoredList | undefined {
  if (Array.isArray(json)) return { elements: elementsOf(json, [], names), others: [] };
  if (!isContainer(json)) return undefined;
  const members = Object.entries(json);
  return {
    elements: members.flatMap(([name, value]) =>
      Array.isArray(value) ? elementsOf(value, [name], names) : [],
    ),
    others: members.flatMap(([name, value]): JsonEdit[] =>
      isContainer(value) && !Array.isArray(value) ? [{ kind: 'remove', path: [name] }] : [],
    ),
  };
}

function elementsOf(list: readonly unknown[], path: readonly string[], names: ObjectNames): ListedObject[] {
  return list.map((element, index) => ({
    id: ownId(element, names),
    remove: { kind: 'remove', path: [...path, index] },
  }));
}

const BACKWARDS: readonly string[] = ['before', 'before_id'];

/** Returns the query for the next page, if any. SDKs stop at an empty page, or request the first one again. */
export function queryOfNextPage(
  { query, provider }: Answered,
  json: unknown,
  elements: readonly ListedObject[],
): string | undefined {
  if (!isObject(json)) return undefined;
  const { nextPage: [member, parameter] = ['', ''], after = 'after' } = provider.objects ?? {};
  const next = new URLSearchParams(query);
  const token = json[member];
  const backwards = BACKWARDS.find((name) => next.has(name));
  const end = (backwards === undefined ? elements.at(-1) : elements[0])?.id;
  if (typeof token === 'string' && token !== '') next.set(parameter, token);
  else if (json['has_more'] === true && end !== undefined) next.set(backwards ?? after, end);
  else return undefined;
  return `?${next.toString()}`;
}

/** Returns edits that set a page's first and last id to those of the remaining objects. */
export function endsOf(json: unknown, own: readonly ListedObject[]): readonly JsonEdit[] {
  if (!isObject(json)) return [];
  const ends = { first_id: own[0]?.id ?? null, last_id: own.at(-1)?.id ?? null };
  return Object.entries(ends)
    .filter(([name, id]) => typeof json[name] === 'string' && json[name] !== id)
    .map(([name, value]) => ({ kind: 'set', path: [name], value }));
}
