import type { KeyRecord } from '../src/auth/key-record.ts';
import type { Operations } from '../src/operator/operations.ts';
import { allKeys, ofEachKey } from './every-key.ts';
import {
  listed,
  matches,
  type Filter,
  type Listed,
  type ListOptions,
  type ListShape,
  type Rows,
} from './listed.ts';

/** A row about a key. */
interface OfKey {
  readonly record: KeyRecord;
}

const RECORDS = {
  fields: {
    name: ({ name }) => name,
    owner: ({ owner }) => owner,
    hash: ({ keyHash }) => keyHash,
  },
  orders: {
    created: (one, other) => one.createdAt - other.createdAt,
    name: (one, other) => one.name.localeCompare(other.name),
  },
} as const satisfies ListShape<KeyRecord>;

export const { fields: RECORD_FIELDS, orders: RECORD_ORDERS } = RECORDS;

/** Adds the fields and orders of the record to those of the state that a list shows. */
export function withRecords<Row extends OfKey>(state: ListShape<Row>): ListShape<Row> {
  const { name, owner, hash } = RECORDS.fields;
  const { name: byName, created } = RECORDS.orders;
  return {
    fields: {
      name: ({ record }) => name(record),
      owner: ({ record }) => owner(record),
      hash: ({ record }) => hash(record),
      ...state.fields,
    },
    orders: {
      ...state.orders,
      name: (one, other) => byName(one.record, other.record),
      created: (one, other) => created(one.record, other.record),
    },
  };
}

/** Returns all keys, in the chosen order if Redis has it. */
export async function keyRows(operations: Operations, sort: string): Promise<Rows<KeyRecord>> {
  const counted = sort === 'created' ? await operations.keys.count() : undefined;
  return counted?.isOrdered === true
    ? { rows: allKeys(operations, 'created'), isSorted: true, total: counted.total }
    : { rows: allKeys(operations) };
}

interface KeyReading<Row> {
  /** Instead of all keys. */
  readonly only?: readonly KeyRecord[] | undefined;
  read(record: KeyRecord): Promise<Row>;
  /** Chooses rows by their state; every row by default. */
  readonly where?: ((row: Row) => boolean) | undefined;
}

/** Lists keys by their state, which is read only for the keys that may be shown. */
export async function listedKeys<Row extends OfKey>(
  operations: Operations,
  shape: ListShape<Row>,
  options: ListOptions,
  { only, read, where }: KeyReading<Row>,
): Promise<Listed<Row>> {
  const { filter = [], sort } = options;
  const ofState = filter.filter(({ field }) => !(field in RECORDS.fields));
  const { rows, ...source } = only === undefined ? await keyRows(operations, sort) : { rows: only };
  if (sort in RECORDS.orders && ofState.length === 0 && where === undefined) {
    const found = await listed({ rows, ...source }, RECORDS, options);
    const shown: Row[] = [];
    for await (const row of ofEachKey(found.rows, read)) shown.push(row);
    return { rows: shown, total: found.total };
  }
  const states = ofEachKey(matching(rows, RECORDS.fields, filter), read);
  const chosen = where === undefined ? states : chosenRows(states, where);
  const isSorted = source.isSorted === true;
  return listed({ rows: chosen, isSorted }, shape, { ...options, filter: ofState });
}

/** Yields the keys that match where a filter is of these fields. */
export async function* matching(
  records: Rows<KeyRecord>['rows'],
  fields: ListShape<KeyRecord>['fields'],
  filter: readonly Filter[] = [],
): AsyncGenerator<KeyRecord> {
  const some = filter.filter(({ field }) => field in fields);
  for await (const record of records) if (matches(record, fields, some)) yield record;
}

async function* chosenRows<Row>(rows: AsyncIterable<Row>, where: (row: Row) => boolean): AsyncGenerator<Row> {
  for await (const row of rows) if (where(row)) yield row;
}
