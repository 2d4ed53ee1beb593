import type { Command } from 'commander';

import type { KeyRecord } from '../../src/auth/key-record.ts';
import type { Session, SessionDetails } from '../../src/checks/session/store.ts';
import { INITIAL_STATE } from '../../src/policy/call.ts';
import { formatUsd } from '../../src/pricing/usd.ts';
import { withCall, type Call, type Io } from '../command.ts';
import { matching } from '../key-rows.ts';
import { entries, KEY_ARGUMENT, shortTime } from '../key-view.ts';
import { listed, reportOmitted, withList, type ListOptions, type ListShape } from '../listed.ts';
import { onGateway, onKey } from '../on-gateway.ts';
import { auditChange, withOperator } from '../operator-change.ts';
import { listing, painter, print, printable, table, withOutput } from '../output.ts';
import { activeKeys, ofEachKey } from '../read-keys.ts';

/** Adds `gateway sessions …`, which shows and ends live sessions (docs/sessions.md). */
export function registerSessions(program: Command, io: Io): void {
  const sessions = program.command('sessions').description('show and end live sessions');
  registerSessionList(sessions, io);
  withOutput(
    sessions
      .command('show')
      .argument(...KEY_ARGUMENT)
      .argument('<session>', 'id of the session (see gateway sessions list)')
      .description('show one session: limits, taints, tools, and its first user request with secrets masked'),
  ).action(withCall(io, showSession));
  withOutput(
    withOperator(sessions.command('end').argument(...KEY_ARGUMENT))
      .argument('<session>', 'id of the session (see gateway sessions list)')
      .description('end a session; the next request that names it starts a new one'),
  ).action(withCall(io, endSession));
}

async function showSession(call: Call, reference: string, sessionId: string): Promise<void> {
  const { record, details } = await onKey(call, reference, async ({ sessions }, keyHash) => ({
    details: await sessions.read({ keyHash, sessionId }),
  }));
  if (details === undefined) throw noSession(record, sessionId);
  const json = detailsJson(record, details);
  print(call, json, () => {
    const { anchor, ...facts } = json;
    const shown = anchor === null ? facts : { ...facts, anchor_bytes: anchor.bytes, anchor: anchor.text };
    return listing(entries(withoutNulls(shown)), painter(call));
  });
}

async function endSession(call: Call, reference: string, sessionId: string): Promise<void> {
  const change = await onGateway(call, ({ changes }) => changes.endSession({ reference, sessionId }));
  const { record, ended } = change.result;
  if (!ended) throw noSession(record, sessionId);
  const json = { key_hash: record.keyHash, name: record.name, id: sessionId, ended: true };
  print(call, json, () => `Ended session ${printable(sessionId)} of ${printable(record.name)}.`);
  await auditChange(call, change.record);
}

function noSession({ name }: KeyRecord, sessionId: string): Error {
  return new Error(
    `${printable(name)} has no live session ${printable(sessionId)}. See gateway sessions list ${printable(name)}`,
  );
}

function detailsJson({ keyHash, name }: KeyRecord, { session, callsInFlight, anchor }: SessionDetails) {
  return {
    key_hash: keyHash,
    name,
    ...sessionJson(session),
    calls_in_flight: callsInFlight,
    state: session.state ?? INITIAL_STATE,
    taint_flags: session.taintFlags,
    tools_called: session.toolsCalled,
    anchor: anchor === undefined ? null : { bytes: Buffer.byteLength(anchor), text: anchor },
  };
}

function withoutNulls(json: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(json).filter(([, value]) => value !== null));
}

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

function registerSessionList(sessions: Command, io: Io): void {
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
    // Only a few keys at a time, because each may have 10,000 sessions.
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

/** Times are in ISO 8601, money is in USD, and null means no limit. */
function sessionJson(session: Session) {
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

/** Must match the order of SESSION_HEADINGS. */
function sessionCells(session: Session): string[] {
  return [
    session.id,
    shortTime(session.createdAt),
    shortTime(session.lastUsedAt),
    withLimit(String(session.steps), session.maxSteps),
    withLimit(formatUsd(session.spendNanoUsd), session.budgetNanoUsd, formatUsd),
  ];
}

/** Returns `3/10`, or `3` without a limit. */
function withLimit(
  used: string,
  limit: number | undefined,
  format: (limit: number) => string = String,
): string {
  return limit === undefined ? used : `${used}/${format(limit)}`;
}
