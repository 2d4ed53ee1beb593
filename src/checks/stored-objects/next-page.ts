import { isObject } from '../../json/is-object.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { Answered } from '../../pipeline/exchange.ts';
import type { ListedObject } from './list.ts';

/** Parameters by which a client reads a list backwards. */
const BACKWARDS: readonly string[] = ['before', 'before_id'];

/**
 * Returns the query for the next page, or undefined if this page is the last one. SDKs stop at an empty page, and some
 * clients would request the first page again.
 */
export function queryOfNextPage(
  { query, provider }: Answered,
  json: unknown,
  elements: readonly ListedObject[],
): string | undefined {
  if (!isObject(json)) return undefined;
  const { nextPage: [member, parameter] = ['', ''], after = 'after' } = provider.objects ?? {};
  const asked = new URLSearchParams(query);
  const token = json[member];
  const backwards = BACKWARDS.find((name) => asked.has(name));
  const end = (backwards === undefined ? elements.at(-1) : elements[0])?.id;
  if (typeof token === 'string' && token !== '') asked.set(parameter, token);
  else if (json['has_more'] === true && end !== undefined) asked.set(backwards ?? after, end);
  else return undefined;
  return `?${asked.toString()}`;
}

/** Returns edits that replace the ids at the ends of a page by those of the objects left in it. */
export function endsOf(json: unknown, own: readonly ListedObject[]): readonly JsonEdit[] {
  if (!isObject(json)) return [];
  const ends = { first_id: own[0]?.id ?? null, last_id: own.at(-1)?.id ?? null };
  return Object.entries(ends)
    .filter(([name, id]) => typeof json[name] === 'string' && json[name] !== id)
    .map(([name, value]) => ({ kind: 'set', path: [name], value }));
}
