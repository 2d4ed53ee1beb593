import type { RedisStoreOptions } from '../../redis/client.ts';
import { readClock } from '../../redis/clock.ts';
import { sessionsKey } from '../../redis/keys.ts';
import { createOperations } from '../../redis/batch.ts';
import {
  count,
  flag,
  listOf,
  oneOf,
  text,
  tupleOf,
  unlessEmpty,
  wholeNumber,
  yes,
} from '../../redis/reply.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import { anchorAmong } from './anchor.ts';
import {
  anchorKey,
  ledgerKey,
  lifeKeys,
  moveKeys,
  sessionKeys,
  stateKey,
  stepKeys,
  loadSessionScripts,
} from './scripts.ts';
import { spentIn, unpackSession } from './packed-session.ts';

import { freshSession, readSession, sessionReply, stateNames } from './session-fields.ts';
import {
  asIfOpened,
  MAX_KEY_BYTES,
  MAX_LIVE_SESSIONS,
  MAX_NOTE_CHARS,
  MAX_NOTES,
  MEASURED_FROM,
  type Moved,
  type Noted,
  type OpenResult,
  type Session,
  type SessionAhead,
  type SessionLimits,
  type SessionStore,
  type StateMove,
  type Step,
} from './store.ts';
import type { Batch } from '../../pipeline/batch.ts';
import type { SessionName } from '../../conversation/session-name.ts';

export interface RedisSessionStoreOptions extends RedisStoreOptions {
  readonly ttlMs: number;
  /** `session.max_per_key`; if 0, only `maxLive` applies. */
  readonly maxPerKey: number;
  /** Default to MAX_LIVE_SESSIONS, MAX_KEY_BYTES and MEASURED_FROM. Set by tests. */
  readonly maxLive?: number;
  readonly maxKeyBytes?: number;
  readonly measuredFrom?: number;
}

/** Longer than REFUND_MS, because giving back a step twice would give back another call's. */
const LEFT_MEMORY_MS = 300_000;
/** Maximum number of given-back steps per key. If one is evicted early, a step taken late stays counted. */
const MAX_LEFT = 10_000;
const SESSIONS_PER_READ = 200;

const openReply = tupleOf(
  oneOf('opened', 'max_steps', 'budget', 'sessions', 'closed', 'changed'),
  wholeNumber,
  text,
  openedReply,
  yes,
  listOf(text),
);
const noteReply = oneOf('added', 'known', 'full', 'gone');
const moveReply = tupleOf(oneOf('moved', 'conflict', 'gone'), text);

interface FoundSession {
  readonly session: Session;
  readonly leaseEnds: readonly number[];
  readonly revision: number;
}

/** Keeps sessions in Redis. Each Lua script uses the keys of one slot; the anchor is in another slot. */
export function createRedisSessionStore(options: RedisSessionStoreOptions): SessionStore {
  const { client, deadlineMs, ttlMs, maxPerKey } = options;
  const { maxLive = MAX_LIVE_SESSIONS, maxKeyBytes = MAX_KEY_BYTES, measuredFrom = MEASURED_FROM } = options;

  const scripts = loadSessionScripts(ttlMs, maxPerKey, { maxLive, maxKeyBytes, measuredFrom });
  const operations = createOperations(client, deadlineMs);
  const within = <T>(work: () => Promise<T>): Promise<T> => withRedisDeadline(deadlineMs, work);
  /** Returns ARGV 1 and 2: the clock, and the argument of life.lua. */
  function lifeArgs({ sessionId }: SessionName): (string | number)[] {
    return [options.now?.() ?? '', sessionId];
  }

  async function open(step: Step & SessionLimits, batch?: Batch, ahead?: SessionAhead): Promise<OpenResult> {
    const { keyHash, sessionId, operationId, maxSteps = '', budgetNanoUsd = '' } = step;
    const stepArgs = [operationId, counterOf(step), maxSteps, budgetNanoUsd];
    const [opened, anchored] = await Promise.all([
      operations.run(
        {
          script: scripts.open,
          keys: stepKeys(step),
          args: [...lifeArgs(step), ...stepArgs, ...aheadArgs(ahead)],
          read: openReply,
        },
        batch,
      ),
      ahead?.anchored ?? within(() => keepAnchor(step)),
    ]);
    const [, , , , isNew, evicted] = opened;
    const orphans = [
      ...evicted,
      // A crashed gateway may have left the anchor of an earlier session with this name.
      ...(isNew && anchored ? [sessionId] : []),
    ];
    if (orphans.length > 0) {
      await within(() => Promise.all(orphans.map((id) => client.del(anchorKey({ keyHash, sessionId: id })))));
    }
    return openResult(step, opened, !isNew && anchored, { ttlMs, ahead });
  }

  async function keepAnchor(name: SessionName): Promise<boolean> {
    return yes(await client.pexpire(anchorKey(name), ttlMs));
  }

  async function readAhead(name: SessionName): Promise<SessionAhead> {
    const [found, anchored] = await Promise.all([readOne(name), keepAnchor(name)]);
    if (found !== undefined)
      return { session: found.session, isOpen: true, revision: found.revision, anchored };
    return { session: freshSession(name.sessionId, ttlMs), isOpen: false, revision: 0, anchored };
  }

  async function leave(step: Step, createdAt: number | undefined): Promise<void> {
    const args = [step.operationId, counterOf(step), createdAt ?? '', LEFT_MEMORY_MS, MAX_LEFT];
    flag(await scripts.leave.run(client, stepKeys(step), [...lifeArgs(step), ...args]));
  }

  async function renew(step: Step, createdAt: number): Promise<void> {
    const args = [...lifeArgs(step), step.operationId, createdAt];
    await Promise.all([
      scripts.renew.run(client, lifeKeys(step), args),
      client.pexpire(anchorKey(step), ttlMs),
    ]);
  }

  async function noteAnswered(
    name: SessionName,
    createdAt: number,
    anchor: string | undefined,
    batch?: Batch,
  ): Promise<void> {
    const args = [...lifeArgs(name), createdAt];
    const live = await operations.run(
      { script: scripts.answer, keys: lifeKeys(name), args, read: count },
      batch,
    );
    if (live === 0 || anchor === undefined) return;
    await within(() => client.set(anchorKey(name), anchorAmong(anchor, live), 'PX', ttlMs, 'NX'));
  }

  async function finish(step: Step, createdAt: number, batch?: Batch): Promise<void> {
    const args = [...lifeArgs(step), step.operationId, createdAt];
    await operations.run({ script: scripts.finish, keys: lifeKeys(step), args, read: flag }, batch);
  }

  async function note(
    kind: keyof typeof MAX_NOTES,
    step: Step,
    written: string,
    { createdAt, answered = false }: { readonly createdAt?: number; readonly answered?: boolean } = {},
  ): Promise<Noted> {
    const noted = [kind, written.slice(0, MAX_NOTE_CHARS), step.operationId, MAX_NOTES[kind]];
    const args = [...lifeArgs(step), createdAt ?? '', ...noted, answered ? '1' : ''];
    return noteReply(await scripts.note.run(client, lifeKeys(step), args));
  }

  /** Also extends the lifetime of the anchor, which the script cannot reach. */
  async function keep(step: Step, createdAt: number, tool: string, answered: boolean): Promise<Noted> {
    const [noted] = await Promise.all([
      note('tool', step, tool, { createdAt, answered }),
      client.pexpire(anchorKey(step), ttlMs),
    ]);
    return noted;
  }

  /** Returns ARGV 1 to 6 of move-state.lua and move-back.lua. */
  function moveArgs(step: Step, createdAt: number, move: StateMove): (string | number)[] {
    return [...lifeArgs(step), step.operationId, createdAt, ...stateNames(move)];
  }

  async function moveState(step: Step, createdAt: number, move: StateMove): Promise<Moved> {
    const reply = await scripts.move.run(client, moveKeys(step), moveArgs(step, createdAt, move));
    const [kind, state] = moveReply(reply);
    return kind === 'conflict' ? { kind, state: state === '' ? undefined : state } : { kind };
  }

  async function moveBack(step: Step, createdAt: number, move: StateMove): Promise<void> {
    const args = [...moveArgs(step, createdAt, move), LEFT_MEMORY_MS, MAX_LEFT];
    flag(await scripts.moveBack.run(client, moveKeys(step), args));
  }

  /** Uses a plain command, because a script costs Redis several times as much. */
  async function readOne(name: SessionName): Promise<FoundSession | undefined> {
    const [packed, ledger] = await client.mgetBuffer(stateKey(name), ledgerKey(name));
    if (!packed) return undefined;
    const { fields, revision, leaseEnds } = unpackSession(packed);
    const spent = ledger ? spentIn(ledger, 'session') : 0;
    return { session: readSession(name.sessionId, sessionReply(fields), spent, ttlMs), leaseEnds, revision };
  }

  async function list(keyHash: string): Promise<readonly Session[]> {
    const ids = await withRedisDeadline(deadlineMs, () => client.zrange(sessionsKey(keyHash), '0', '-1'));
    const sessions: Session[] = [];
    for (let at = 0; at < ids.length; at += SESSIONS_PER_READ) {
      const names = ids.slice(at, at + SESSIONS_PER_READ).map((sessionId) => ({ keyHash, sessionId }));
      const read = await withRedisDeadline(deadlineMs, () => Promise.all(names.map((name) => readOne(name))));
      sessions.push(...read.flatMap((found) => (found === undefined ? [] : [found.session])));
    }
    return sessions.sort((a, b) => b.lastUsedAt - a.lastUsedAt);
  }

  return {
    open,
    readAhead: (name) => within(() => readAhead(name)),
    leave: (step, createdAt) => within(() => leave(step, createdAt)),
    renew: (step, createdAt) => within(() => renew(step, createdAt)),
    finish,
    noteAnswered,
    addTaint: (step, flag) => within(() => note('taint', step, flag)),
    addMark: (step, mark) => within(() => note('mark', step, mark)),
    moveState: (step, createdAt, move) => within(() => moveState(step, createdAt, move)),
    moveBack: (step, createdAt, move) => within(() => moveBack(step, createdAt, move)),
    keep: (step, createdAt, tool = '', answered) => within(() => keep(step, createdAt, tool, answered)),
    list,
    peek: (name) => within(async () => (await readOne(name))?.session),
    read: (name) =>
      within(async () => {
        const [found, anchor, now] = await Promise.all([
          readOne(name),
          client.get(anchorKey(name)),
          options.now?.() ?? readClock(client),
        ]);
        if (found === undefined) return undefined;
        const { session, leaseEnds } = found;
        return { session, callsInFlight: runningCalls(leaseEnds, now), anchor: anchor ?? undefined };
      }),
    end: (name) =>
      withRedisDeadline(deadlineMs, async () => {
        const keys = [sessionsKey(name.keyHash), ...sessionKeys(name)];
        const ended = await scripts.end.run(client, keys, [name.sessionId]);
        // Deleted after the session, so that a running call cannot write the anchor again.
        const anchors = await client.del(anchorKey(name));
        return count(ended) + anchors > 0;
      }),
  };
}

/**
 * Returns the creation time if the session has not changed since it was read ahead, otherwise the session's fields, if
 * any.
 */
function openedReply(reply: unknown): number | ReturnType<typeof sessionReply> | undefined {
  return typeof reply === 'number' ? count(reply) : unlessEmpty(sessionReply)(reply);
}

function runningCalls(leaseEnds: readonly number[], now: number): number {
  const first = leaseEnds.findIndex((end) => end > now);
  return first < 0 ? 0 : leaseEnds.length - first;
}

function openResult(
  step: Step & SessionLimits,
  [verdict, liveSessions, spent, fields]: ReturnType<typeof openReply>,
  anchored: boolean,
  { ttlMs, ahead }: { readonly ttlMs: number; readonly ahead: SessionAhead | undefined },
): OpenResult {
  if (verdict === 'closed' || verdict === 'changed') return { kind: verdict };
  if (verdict === 'sessions') return { kind: 'too_many_sessions', liveSessions };
  if (typeof fields === 'number') {
    const session = ahead && asIfOpened(ahead, step);
    if (session === undefined) throw new Error('open-session.lua opened what it should have refused');
    return { kind: 'opened', session: { ...session, createdAt: fields }, anchored };
  }
  if (fields === undefined) throw new Error('open-session.lua replied without a session');
  const session = readSession(step.sessionId, fields, Number(spent), ttlMs);
  if (verdict === 'opened') return { kind: 'opened', session, anchored };
  return { kind: verdict === 'budget' ? 'budget_spent' : 'max_steps_reached', session };
}

/** Returns ARGV 7 to 9 of open-session.lua. */
function aheadArgs(ahead: SessionAhead | undefined): (string | number)[] {
  if (ahead === undefined) return ['', '', ''];
  const { session, isOpen, revision } = ahead;
  return isOpen ? [session.createdAt, revision, session.spendNanoUsd] : [-1, 0, 0];
}

function counterOf({ isMcpCall }: Step): string {
  return isMcpCall === true ? 'mcp_call' : 'step';
}
