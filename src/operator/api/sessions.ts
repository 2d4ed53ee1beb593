import type { KeyRecord } from '../../auth/key-record.ts';
import type { SessionDetails } from '../../checks/session/store.ts';
import type { PageServices } from '../services.ts';
import { hasRole, maySee, type SignedIn } from '../sign-in/roles.ts';
import type { KeyRow } from '../survey/key-surveys.ts';
import { cursorOf, offsetOf, pageOf, type Order } from '../survey/page.ts';
import { iso } from '../views/time.ts';
import { endSessionBody, sessionQuery, sessionsQuery } from './bodies.ts';
import { changeRoute } from './change.ts';
import { findKey } from './keys.ts';
import { ApiError } from './problem.ts';
import { route, type Route } from './route.ts';
import { endedSession, sessionDetails, sessions, type Session } from './schemas/keys.ts';

/** Maximum number of keys per answer. Longer lists continue at the cursor. */
const KEYS_AT_ONCE = 200;
const LAST_USED: Order<KeyRow> = { value: ({ lastUsedAt = 0 }) => lastUsedAt, descending: true };

export function sessionRoutes(services: PageServices): readonly Route[] {
  const { operations } = services;
  return [
    route({
      method: 'GET',
      path: '/api/sessions',
      summary: 'Sessions, most recently used keys first',
      role: 'viewer',
      owners: true,
      query: sessionsQuery,
      answer: sessions,
      handle: async ({ query: { key, limit, cursor }, who }) => {
        if (key === undefined) return ofAllKeys(services, who, limit, cursor);
        const record = await findKey(services, key, who);
        const from = offsetOf(cursor);
        const items = await readSessions(services, record, from, limit);
        return { items, ...(items.length === limit && { next: String(from + limit) }) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/sessions/{id}',
      summary: 'One session of a key',
      role: 'viewer',
      owners: true,
      query: sessionQuery,
      answer: sessionDetails,
      handle: async ({ params: { id = '' }, query: { key }, who }) => {
        const record = await findKey(services, key, who);
        const found = await operations.sessions.read({ keyHash: record.keyHash, sessionId: id });
        if (found === undefined) throw new ApiError('not_found', 'the key has no session with this id');
        const { toolsCalled, marks } = found.session;
        return {
          ...sessionView(record, found),
          tools_called: [...toolsCalled],
          marks: [...marks],
          calls_in_flight: found.callsInFlight,
          anchor: hasRole(who.role, 'operator') ? (found.anchor ?? null) : null,
        };
      },
    }),
    changeRoute(services, {
      method: 'POST',
      path: '/api/sessions/{id}/end',
      summary: 'End a session of a key',
      role: 'operator',
      body: endSessionBody,
      answer: endedSession,
      async make({ params: { id = '' }, body }) {
        const made = await operations.changes.endSession({ reference: body.key, sessionId: id });
        return { ...made, result: { changed: made.result.ended } };
      },
    }),
  ];
}

async function ofAllKeys(services: PageServices, who: SignedIn, limit: number, cursor: string | undefined) {
  const { operations, redis, surveys } = services;
  const position = readPosition(cursor);
  const { rows } = await surveys.keys.view();
  const wasUsed = (row: KeyRow): boolean => row.lastUsedAt !== undefined && maySee(who, row);
  const page = pageOf(rows, wasUsed, LAST_USED, { limit: KEYS_AT_ONCE, cursor: position.after });
  const counts = await Promise.all(page.rows.map(({ keyHash }) => redis.countSessions(keyHash)));
  const items: Session[] = [];
  let { after, offset } = position;
  for (const [nth, { keyHash, row }] of page.rows.entries()) {
    const left = limit - items.length;
    if ((counts[nth] ?? 0) > offset) {
      const state = await operations.keyStates.readNamedKey(keyHash);
      if (state !== undefined) items.push(...(await readSessions(services, state.record, offset, left)));
      if ((counts[nth] ?? 0) > offset + left)
        return { items, next: writePosition({ after, offset: offset + left }) };
    }
    offset = 0;
    after = cursorOf({ value: LAST_USED.value(row), keyHash });
    if (items.length === limit) return { items, next: writePosition({ after, offset }) };
  }
  return { items, ...(page.next !== undefined && { next: writePosition({ after: page.next, offset: 0 }) }) };
}

/** Position in the list of all keys: the previous key, and the number of shown sessions of the next key. */
interface Position {
  readonly after: string | undefined;
  readonly offset: number;
}

function writePosition({ after, offset }: Position): string {
  return `${String(offset)}.${after ?? ''}`;
}

function readPosition(cursor: string | undefined): Position {
  if (cursor === undefined) return { after: undefined, offset: 0 };
  const [offset, after = ''] = cursor.split('.', 2);
  return { after: after === '' ? undefined : after, offset: offsetOf(offset) };
}

async function readSessions(
  { operations, redis }: PageServices,
  record: KeyRecord,
  from: number,
  count: number,
): Promise<Session[]> {
  const { keyHash } = record;
  const ids = await redis.sessionIds(keyHash, from, count);
  const found = await Promise.all(ids.map((sessionId) => operations.sessions.read({ keyHash, sessionId })));
  return found.flatMap((details) => (details === undefined ? [] : [sessionView(record, details)]));
}

function sessionView({ keyHash, name, owner }: KeyRecord, { session }: SessionDetails): Session {
  return {
    key_hash: keyHash,
    key_name: name,
    owner: owner ?? null,
    id: session.id,
    created_at: iso(session.createdAt),
    last_used_at: iso(session.lastUsedAt),
    steps: session.steps,
    max_steps: session.maxSteps ?? null,
    spend_usd: session.spendNanoUsd / 1e9,
    budget_usd: session.budgetNanoUsd === undefined ? null : session.budgetNanoUsd / 1e9,
    state: session.state ?? null,
    taint_flags: [...session.taintFlags],
  };
}
