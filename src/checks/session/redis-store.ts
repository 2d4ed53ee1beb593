import * as z from 'zod';
import type { RedisClient } from '../../redis/client.ts';
import {
  driftKey,
  loopKey,
  operationKey,
  riskProfileKey,
  sessionAnchorKey,
  sessionKey,
  sessionsKey,
  spendKey,
} from '../../redis/keys.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import { readSession } from './session-fields.ts';
import { MAX_NOTE_CHARS, MAX_NOTES } from './store.ts';
import { INITIAL_STATE, toolCallsOf, type SessionName } from '../../pipeline/session-turn.ts';
import type { Noted, OpenResult, Session, SessionLimits, SessionStore, Step } from './store.ts';

export interface RedisSessionStoreOptions {
  readonly client: RedisClient;
  readonly deadlineMs: number;
  /** `session.ttl`. */
  readonly ttlMs: number;
  /** `session.max_per_key`; 0 is unlimited. */
  readonly maxPerKey: number;
  /** A clock for tests; Redis's own where it is left out (DECISIONS "Redis"). */
  readonly now?: () => number;
}

/** Longer than any repeat of a command by the client library; short, because every call leaves one behind. */
const TAKEN_MEMORY_MS = 60_000;
/** Longer than a step is tried to be given back, see `returns.ts`: given back twice, it would be another call's. */
const LEFT_MEMORY_MS = 300_000;
const SESSIONS_PER_READ = 200;

const openScript = loadScript(new URL('./open-session.lua', import.meta.url));
const leaveScript = loadScript(new URL('./leave-session.lua', import.meta.url));
const touchScript = loadScript(new URL('./touch-session.lua', import.meta.url));
const noteScript = loadScript(new URL('./note-session.lua', import.meta.url));
const endScript = loadScript(new URL('./end-session.lua', import.meta.url));

const openReply = z.tuple([
  z.enum(['opened', 'max_steps', 'budget', 'sessions', 'closed']),
  z.int(),
  z.string(),
  z.array(z.string()),
]);
const noteReply = z.enum(['added', 'known', 'full', 'gone']);
const flag = z.literal([0, 1]);
const count = z.int().min(0);

/** Sessions in Redis: one Lua script a step, each touching the keys of one slot; the anchor alone stands apart. */
export function createRedisSessionStore(options: RedisSessionStoreOptions): SessionStore {
  const { client, deadlineMs, ttlMs, maxPerKey } = options;
  const now = (): string => (options.now === undefined ? '' : String(options.now()));

  async function open(step: Step & SessionLimits): Promise<OpenResult> {
    const { sessionId, maxSteps = '', budgetNanoUsd = '' } = step;
    const args = [now(), sessionId, ttlMs, maxPerKey, maxSteps, budgetNanoUsd, INITIAL_STATE];
    const [reply, anchored] = await withRedisDeadline(deadlineMs, () =>
      Promise.all([
        openScript.run(client, stepKeys(step), [...args, TAKEN_MEMORY_MS, counterOf(step)]),
        client.pexpire(anchorKey(step), ttlMs),
      ]),
    );
    return openResult(sessionId, openReply.parse(reply), flag.parse(anchored) === 1);
  }

  async function leave(step: Step, createdAt: number | undefined): Promise<void> {
    const args = [step.sessionId, createdAt ?? '', LEFT_MEMORY_MS, counterOf(step)];
    await withRedisDeadline(deadlineMs, async () =>
      flag.parse(await leaveScript.run(client, stepKeys(step), args)),
    );
  }

  async function writeAnchor(name: SessionName, createdAt: number, text: string): Promise<void> {
    await withRedisDeadline(deadlineMs, async () => {
      const args = [now(), name.sessionId, ttlMs, createdAt];
      const lives = await touchScript.run(client, lifeKeys(name), args);
      if (flag.parse(lives) === 1) await client.set(anchorKey(name), text, 'PX', ttlMs, 'NX');
    });
  }

  async function note(
    kind: 'taint' | 'tool',
    step: Step,
    written: string,
    createdAt?: number,
  ): Promise<Noted> {
    const args = [now(), step.sessionId, ttlMs, createdAt ?? ''];
    const noted = [kind, written.slice(0, MAX_NOTE_CHARS), step.operationId, MAX_NOTES[kind]];
    return noteReply.parse(await noteScript.run(client, lifeKeys(step), [...args, ...noted]));
  }

  /** The anchor lies in another slot, and lives as long as its session. */
  async function keep(step: Step, createdAt: number, tool = ''): Promise<Noted> {
    const [noted] = await Promise.all([
      note('tool', step, tool, createdAt),
      client.pexpire(anchorKey(step), ttlMs),
    ]);
    return noted;
  }

  async function readOne(name: SessionName): Promise<Session | undefined> {
    const [fields, spent] = await Promise.all([
      client.hgetall(stateKey(name)),
      client.hget(purseKey(name), 'session:spent'),
    ]);
    return readSession(name.sessionId, fields, spent ?? '0');
  }

  async function list(keyHash: string): Promise<readonly Session[]> {
    const ids = await withRedisDeadline(deadlineMs, () =>
      client.zrange(sessionsKey(keyHash), '0', '-1', 'REV'),
    );
    const sessions: Session[] = [];
    for (let at = 0; at < ids.length; at += SESSIONS_PER_READ) {
      const names = ids.slice(at, at + SESSIONS_PER_READ).map((sessionId) => ({ keyHash, sessionId }));
      const read = await withRedisDeadline(deadlineMs, () => Promise.all(names.map(readOne)));
      sessions.push(...read.filter((session) => session !== undefined));
    }
    return sessions;
  }

  return {
    open,
    leave,
    writeAnchor,
    addTaint: (step, flag) => withRedisDeadline(deadlineMs, () => note('taint', step, flag)),
    keep: (step, createdAt, tool) => withRedisDeadline(deadlineMs, () => keep(step, createdAt, tool)),
    list,
    peek: (name) => withRedisDeadline(deadlineMs, () => readOne(name)),
    read: (name) =>
      withRedisDeadline(deadlineMs, async () => {
        const [session, anchor] = await Promise.all([readOne(name), client.get(anchorKey(name))]);
        return session && { session, anchor: anchor ?? undefined };
      }),
    end: (name) =>
      withRedisDeadline(deadlineMs, async () => {
        const { keyHash, sessionId } = name;
        const own = [
          stateKey(name),
          purseKey(name),
          loopKey(keyHash, sessionId),
          loopKey(keyHash, toolCallsOf(name).sessionId),
          driftKey(keyHash, sessionId),
        ];
        const ended = await endScript.run(client, [sessionsKey(keyHash), ...own], [sessionId]);
        // After the session, so that no call of it writes the anchor anew.
        const anchors = await client.del(anchorKey(name));
        return count.parse(ended) + anchors > 0;
      }),
  };
}

function openResult(
  id: string,
  [verdict, liveSessions, spent, fields]: z.output<typeof openReply>,
  anchored: boolean,
): OpenResult {
  if (verdict === 'closed') return { kind: 'closed' };
  if (verdict === 'sessions') return { kind: 'too_many_sessions', liveSessions };
  const session = readSession(id, fromPairs(fields), spent);
  if (session === undefined) throw new Error('open-session.lua replied without a session');
  if (verdict === 'opened') return { kind: 'opened', session, anchored };
  return { kind: verdict === 'budget' ? 'budget_spent' : 'max_steps_reached', session };
}

function fromPairs(pairs: readonly string[]): Record<string, string> {
  const fields: [string, string][] = [];
  for (let at = 0; at + 1 < pairs.length; at += 2) fields.push([pairs[at] ?? '', pairs[at + 1] ?? '']);
  return Object.fromEntries(fields);
}

/** As open-session.lua and leave-session.lua want them. */
function stepKeys(step: Step): string[] {
  const { keyHash, operationId } = step;
  return [
    stateKey(step),
    sessionsKey(keyHash),
    riskProfileKey(keyHash),
    operationKey(keyHash, operationId),
    purseKey(step),
  ];
}

/** As touch-session.lua and note-session.lua want them. */
function lifeKeys(name: SessionName): string[] {
  return [stateKey(name), sessionsKey(name.keyHash), purseKey(name)];
}

function counterOf({ isMcpCall }: Step): string {
  return isMcpCall === true ? 'mcp_call' : 'step';
}

function stateKey({ keyHash, sessionId }: SessionName): string {
  return sessionKey(keyHash, sessionId);
}

/** The purse of the account that the budget check charges a session's calls to. */
function purseKey({ keyHash, sessionId }: SessionName): string {
  return spendKey(keyHash, `session:${sessionId}`);
}

function anchorKey({ keyHash, sessionId }: SessionName): string {
  return sessionAnchorKey(keyHash, sessionId);
}
