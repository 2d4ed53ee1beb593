import * as z from 'zod';

import { parsedJson } from '../../json/parsed.ts';
import { ApiError } from '../api/problem.ts';

type Value = string | number;

export interface Order<Row> {
  readonly value: (row: Row) => Value;
  readonly descending: boolean;
}

export interface Keyed<Row> {
  readonly keyHash: string;
  readonly row: Row;
}

export interface PageOf<Row> {
  readonly rows: readonly Keyed<Row>[];
  readonly next: string | undefined;
  /** Matching rows on all pages. */
  readonly total: number;
}

export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * Returns one sorted page of the matching rows. The cursor contains the sort value and key hash of the last row, so
 * that added or removed rows do not shift the others.
 * @throws ApiError for an invalid cursor
 */
export function pageOf<Row>(
  all: ReadonlyMap<string, Row>,
  matches: (row: Row, keyHash: string) => boolean,
  { value, descending }: Order<Row>,
  { limit, cursor }: PageQuery,
): PageOf<Row> {
  const sign = descending ? -1 : 1;
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const compare = (one: Place, other: Place): number =>
    sign * compareValues(one.value, other.value) || compareValues(one.keyHash, other.keyHash);
  /** The first rows found so far, unsorted. */
  let found: (Place & Keyed<Row>)[] = [];
  let total = 0;
  let left = 0;
  for (const [keyHash, row] of all) {
    if (!matches(row, keyHash)) continue;
    total += 1;
    const place = { value: value(row), keyHash, row };
    if (after !== undefined && compare(place, after) <= 0) continue;
    left += 1;
    found.push(place);
    if (found.length >= MAX_FOUND_PAGES * limit) found = found.toSorted(compare).slice(0, limit);
  }
  const rows = found.toSorted(compare).slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: last === undefined || left <= limit ? undefined : cursorOf(last), total };
}

/** Rows are sorted and truncated when they fill this many pages. */
const MAX_FOUND_PAGES = 8;

export interface Place {
  readonly value: Value;
  readonly keyHash: string;
}

function compareValues(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export function cursorOf({ value, keyHash }: Place): string {
  return Buffer.from(JSON.stringify([value, keyHash])).toString('base64url');
}

const place = z.tuple([z.union([z.string(), z.number()]), z.string()]);

function readCursor(cursor: string): Place {
  const read = place.safeParse(parsedJson(Buffer.from(cursor, 'base64url').toString()));
  if (!read.success) throw wrongCursor();
  const [value, keyHash] = read.data;
  return { value, keyHash };
}

export function wrongCursor(): ApiError {
  return new ApiError('invalid_request', 'the cursor does not belong to this list');
}

/** Parses the cursor of a list that is paged by offset. */
export function offsetOf(cursor = '0'): number {
  if (!/^\d{1,9}$/.test(cursor)) throw wrongCursor();
  return Number(cursor);
}

export function listPage<Item>(
  all: readonly Item[],
  { limit, cursor }: PageQuery,
): { readonly items: readonly Item[]; readonly next?: string } {
  const from = offsetOf(cursor);
  const items = all.slice(from, from + limit);
  return { items, ...(from + limit < all.length && { next: String(from + limit) }) };
}
