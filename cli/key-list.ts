import type { Command } from 'commander';

import { recordJson } from '../src/auth/key-json.ts';
import { statusOf, type KeyRecord } from '../src/auth/key-record.ts';
import { MOST_AT_ONCE } from '../src/auth/key-use-store.ts';
import type { Operations } from '../src/operator/operations.ts';
import { withCall, type Call, type Io } from './command.ts';
import { filtered, keyRows, RECORD_FIELDS, RECORD_ORDERS } from './key-rows.ts';
import { shortTime } from './key-view.ts';
import { listed, reportOmitted, withList, type ListOptions, type ListShape, type Rows } from './listed.ts';
import { onGateway } from './on-gateway.ts';
import { painter, print, table, withOutput } from './output.ts';
import { latestKeys } from './read-keys.ts';

const NO_KEYS = 'No keys yet. Create one: gateway keys create --name planner --provider openai';

/** @param now Redis time in milliseconds */
function keyList(now: number): ListShape<KeyRecord> {
  return {
    fields: {
      ...RECORD_FIELDS,
      status: (record) => statusOf(record, now),
      provider: ({ provider }) => provider,
    },
    orders: {
      ...RECORD_ORDERS,
      'last-used': (one, other) => (other.lastUsedAt ?? 0) - (one.lastUsedAt ?? 0),
    },
  };
}

export function registerKeyList(keys: Command, io: Io): void {
  withOutput(withList(keys.command('list').description('list keys'), keyList(0))).action(
    withCall(io, listKeys),
  );
}

/** Returns the most recently used keys, followed by keys that were never used. */
async function byLastUse(operations: Operations, io: Io, limit: number): Promise<Rows<KeyRecord>> {
  const used = await latestKeys(operations, io, limit);
  if (used.length === limit)
    return { rows: used, isSorted: true, total: (await operations.keys.count()).total };
  const all = await keyRows(operations, io, 'created');
  const known = new Set(used.map(({ keyHash }) => keyHash));
  async function* rows(): AsyncGenerator<KeyRecord> {
    yield* used;
    yield* filtered(all.rows, ({ keyHash }) => !known.has(keyHash));
  }
  return { ...all, rows: rows(), isSorted: true };
}

async function listKeys(call: Call, options: ListOptions): Promise<void> {
  const { found, now } = await onGateway(call, async (operations) => {
    const now = await operations.readClock();
    const rows =
      options.sort === 'last-used' && options.filter === undefined && options.limit <= MOST_AT_ONCE
        ? await byLastUse(operations, call, options.limit)
        : await keyRows(operations, call, options.sort);
    return { found: await listed(rows, keyList(now), options), now };
  });
  const { rows: records, total } = found;
  reportOmitted(call, found);
  const json = records.map((record) => recordJson(record, now));
  print(call, { keys: json, total: total ?? null }, () => {
    if (total === 0) return options.filter === undefined ? NO_KEYS : 'No key matches.';
    const rows = records.map((record) => [
      record.name,
      record.keyHash.slice(0, 'sha256:'.length + 12),
      record.provider,
      statusOf(record, now),
      record.owner ?? '-',
      shortTime(record.createdAt),
      shortTime(record.lastUsedAt),
      shortTime(record.expiresAt),
    ]);
    const headings = ['NAME', 'HASH', 'PROVIDER', 'STATUS', 'OWNER', 'CREATED', 'LAST USED', 'EXPIRES'];
    return table(headings, rows, painter(call));
  });
}
