import type { KeyRecord } from '../src/auth/key-record.ts';
import type { ActiveKeys } from '../src/auth/key-use-store.ts';
import type { Operations } from '../src/operator/operations.ts';
import type { Io } from './command.ts';
import {
  listed,
  matches,
  type Filter,
  type Listed,
  type ListOptions,
  type ListShape,
  type Rows,
} from './listed.ts';
import { createProgress } from './progress.ts';
import { activeKeys, allKeys, ofEachKey } from './read-keys.ts';

interface OfKey {
  readonly record: KeyRecord;
}

const RECORDS = {
  fields: { name: ({ name }) => name, owner: ({ owner }) => owner, hash: ({ keyHash }) => keyHash },
  orders: {
    created: (one, other) => one.createdAt - other.createdAt,
    name: (one, other) => one.name.localeCompare(other.name),
  },
} as const satisfies ListShape<KeyRecord>;

export const { fields: RECORD_FIELDS, orders: RECORD_ORDERS } = RECORDS;

/** Adds the fields and orders of key records to those of key states. */
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

/** Returns all keys, in the chosen order if Redis maintains it. */
export async function keyRows(operations: Operations, io: Io, sort: string): Promise<Rows<KeyRecord>> {
  const counted = sort === 'created' ? await operations.keys.count() : undefined;
  return counted?.isOrdered === true
    ? { rows: withProgress(allKeys(operations, 'created'), io), isSorted: true, total: counted.total }
    : { rows: withProgress(allKeys(operations), io) };
}

async function* withProgress(records: AsyncIterable<KeyRecord>, io: Io): AsyncGenerator<KeyRecord> {
  const progress = createProgress(io, 'keys');
  let read = 0;
  try {
    for await (const record of records) {
      progress.show((read += 1));
      yield record;
    }
  } finally {
    progress.clear();
  }
}

interface KeyReading<Row> {
  /** Lists these keys instead of all keys. */
  readonly only?: Rows<KeyRecord> | undefined;
  read(record: KeyRecord): Promise<Row>;
  /** Selects rows by state; default: all rows. */
  readonly where?: ((row: Row) => boolean) | undefined;
}

interface ActiveReading<Row extends OfKey> extends KeyReading<Row> {
  /** Listed first. */
  readonly active: ActiveKeys;
  /** True if the list must contain active keys only. */
  readonly isWhole: boolean;
}

/** Lists active keys in the chosen order, then all other keys by creation time. */
export async function listedActive<Row extends OfKey>(
  operations: Operations,
  io: Io,
  shape: ListShape<Row>,
  options: ListOptions,
  { active, isWhole, ...reading }: ActiveReading<Row>,
): Promise<Listed<Row>> {
  const only = { rows: activeKeys(operations, io, active) };
  const first = await listedKeys(operations, io, shape, options, { ...reading, only });
  const shown = first.rows.length;
  if (isWhole) return first;
  if (shown === options.limit)
    return {
      ...first,
      total: options.filter === undefined ? (await operations.keys.count()).total : undefined,
    };
  const known = new Set(first.rows.map(({ record }) => record.keyHash));
  const all = await keyRows(operations, io, 'created');
  const others = {
    ...all,
    rows: filtered(all.rows, ({ keyHash }) => !known.has(keyHash)),
    ...(all.total !== undefined && { total: all.total - shown }),
  };
  const rest = await listedKeys(
    operations,
    io,
    shape,
    { ...options, sort: 'created', limit: options.limit - shown },
    { ...reading, only: others },
  );
  return {
    rows: [...first.rows, ...rest.rows],
    total: rest.total === undefined ? undefined : shown + rest.total,
  };
}

/** Reads the state only of keys that may be shown. */
export async function listedKeys<Row extends OfKey>(
  operations: Operations,
  io: Io,
  shape: ListShape<Row>,
  options: ListOptions,
  { only, read, where }: KeyReading<Row>,
): Promise<Listed<Row>> {
  const { filter = [], sort } = options;
  const stateFilter = filter.filter(({ field }) => !(field in RECORDS.fields));
  const { rows, ...source } = only ?? (await keyRows(operations, io, sort));
  if (sort in RECORDS.orders && stateFilter.length === 0 && where === undefined) {
    const found = await listed({ rows, ...source }, RECORDS, options);
    const shown: Row[] = [];
    for await (const row of ofEachKey(found.rows, read)) shown.push(row);
    return { rows: shown, total: found.total };
  }
  const states = ofEachKey(matching(rows, RECORDS.fields, filter), read);
  const chosen = where === undefined ? states : filtered(states, where);
  const isSorted = source.isSorted === true;
  return listed({ rows: chosen, isSorted }, shape, { ...options, filter: stateFilter });
}

/** Ignores filters on other fields. */
export function matching(
  records: Rows<KeyRecord>['rows'],
  fields: ListShape<KeyRecord>['fields'],
  filter: readonly Filter[] = [],
): AsyncIterable<KeyRecord> {
  const relevant = filter.filter(({ field }) => field in fields);
  return filtered(records, (record) => matches(record, fields, relevant));
}

/** Yields rows one by one, because there may be a million. */
export async function* filtered<Row>(
  rows: Rows<Row>['rows'],
  isWanted: (row: Row) => boolean,
): AsyncGenerator<Row> {
  for await (const row of rows) if (isWanted(row)) yield row;
}
