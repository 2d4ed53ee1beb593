import type { Command } from 'commander';

import type { KeyRecord } from '../src/auth/key-record.ts';
import type { Session } from '../src/checks/session/store.ts';
import { formatUsd } from '../src/pricing/usd.ts';
import { withCall, type Call, type Io } from './command.ts';
import { matching } from './key-rows.ts';
import { KEY_ARGUMENT, shortTime } from './key-view.ts';
import { listed, reportOmitted, withList, type ListOptions, type ListShape } from './listed.ts';
import { onGateway } from './on-gateway.ts';
import { painter, print, printable, table, withOutput } from './output.ts';
import { activeKeys, ofEachKey } from './read-keys.ts';

interface KeySession {
  readonly record: KeyRecord;
  readonly session: Session;
}

const KEYS_AT_ONCE = 8;

const KEY_FIELDS = { key: ({ name }: KeyRecord) => name, owner: ({ owner }: KeyRecord) => owner };

const SESSION_LIST: ListShape<KeySession> = {
  fields: {
    key: ({ record }) => KEY_FIELDS.key(record),
    owner: ({ record }) => KEY_FIELDS.owner(record),
    id: ({ session }) => session.id,
    state: ({ session }) => session.state,
  },
  orders: {
    'last-used': (one, other) => other.session.lastUsedAt - one.session.lastUsedAt,
    spent: (one, other) => other.session.spendNanoUsd - one.session.spendNanoUsd,
    steps: (one, other) => other.session.steps - one.session.steps,
    key: (one, other) => one.record.createdAt - other.record.createdAt,
  },
};

/** Adds `gateway sessions list`, for one key or for all keys. */
export function registerSessionList(sessions: Command, io: Io): void {
  const list = sessions
    .command('list')
    .argument('[key]', `${KEY_ARGUMENT[1]} (default: all keys)`)
    .description('list live sessions, most recently used first');
  withOutput(withList(list, SESSION_LIST)).action(withCall(io, listSessions));
}

async function listSessions(call: Call, reference: string | undefined, options: ListOptions): Promise<void> {
  const { one, found } = await onGateway(call, async (operations) => {
    const { keys, sessions } = operations;
    const one = reference === undefined ? undefined : await keys.find(reference);
    const source = one === undefined ? activeKeys(operations, call, { usedSince: 'sessions' }) : [one];
    const some = matching(source, KEY_FIELDS, options.filter);
    // Reads few keys at a time: a key may have 10,000 sessions, which are read in batches.
    const lists = ofEachKey(some, ofKey, KEYS_AT_ONCE);
    async function ofKey(record: KeyRecord): Promise<readonly KeySession[]> {
      return (await sessions.list(record.keyHash)).map((session) => ({ record, session }));
    }
    async function* all(): AsyncGenerator<KeySession> {
      for await (const some of lists) yield* some;
    }
    return { one, found: await listed({ rows: all() }, SESSION_LIST, options) };
  });
  reportOmitted(call, found);
  const { rows, total } = found;
  const json =
    one === undefined
      ? rows.map(({ record, session }) => ({
          key_hash: record.keyHash,
          name: record.name,
          ...sessionJson(session),
        }))
      : rows.map(({ session }) => sessionJson(session));
  const key = one === undefined ? {} : { key_hash: one.keyHash, name: one.name };
  print(call, { ...key, sessions: json, total: total ?? null }, () => {
    if (total === 0) return noSessions(one, options);
    const named = one === undefined;
    const cells = rows.map(({ record, session }) => [
      ...(named ? [record.name] : []),
      ...sessionCells(session),
    ]);
    return table([...(named ? ['KEY'] : []), ...SESSION_HEADINGS], cells, painter(call));
  });
}

function noSessions(one: KeyRecord | undefined, { filter }: ListOptions): string {
  if (filter !== undefined) return 'No session matches.';
  return one === undefined ? 'No live sessions.' : `${printable(one.name)} has no live sessions.`;
}

/** Member names follow docs/policies.md. Times are in ISO 8601, money is in USD; no limit is null. */
export function sessionJson(session: Session) {
  return {
    id: session.id,
    created_at: new Date(session.createdAt).toISOString(),
    last_used_at: new Date(session.lastUsedAt).toISOString(),
    steps: session.steps,
    max_steps: session.maxSteps ?? null,
    spend_usd: session.spendNanoUsd / 1e9,
    budget_usd: session.budgetNanoUsd === undefined ? null : session.budgetNanoUsd / 1e9,
  };
}

const SESSION_HEADINGS = ['SESSION', 'CREATED (UTC)', 'LAST USED (UTC)', 'STEPS', 'SPENT (USD)'];

/** Returns the cells of a session's row, in the order of SESSION_HEADINGS. */
function sessionCells(session: Session): string[] {
  return [
    session.id,
    shortTime(session.createdAt),
    shortTime(session.lastUsedAt),
    withLimit(String(session.steps), session.maxSteps),
    withLimit(formatUsd(session.spendNanoUsd), session.budgetNanoUsd, formatUsd),
  ];
}

/** Formats `3/10`, or `3` without a limit. */
function withLimit(
  used: string,
  limit: number | undefined,
  format: (limit: number) => string = String,
): string {
  return limit === undefined ? used : `${used}/${format(limit)}`;
}
