import { newMemorySession, type MemorySession } from './memory-session.ts';
import { lifeMs, stateNames } from './session-fields.ts';
import {
  MAX_LIVE_SESSIONS,
  MAX_NOTE_CHARS,
  MAX_NOTES,
  type Moved,
  type Noted,
  type OpenResult,
  type Session,
  type SessionLimits,
  type SessionStore,
  type StateMove,
  type Step,
} from './store.ts';
import type { SessionName } from '../../conversation/session-name.ts';
import { LEASE_MS } from '../lease.ts';

export interface MemorySessionStoreOptions {
  readonly ttlMs: number;
  /** `session.max_per_key`; if 0, only `maxLive` applies. */
  readonly maxPerKey: number;
  readonly maxLive?: number;
  readonly now: () => number;
  /** Returns a session's spend in nano-USD. Default: 0. */
  readonly spendOf?: (name: SessionName) => number;
}

/** Same as in moves.lua. */
const MOVES_KEPT = 16;

/** `maxLive / 16` sessions are evicted at a time, because finding the oldest scans all of a key's sessions. */
const EVICTED_PART = 16;
/** Exceeds the number of concurrent operations. */
const MAX_OPERATIONS = 4_096;
const MAX_LATE_OPERATIONS = 1_024;

/** Keeps sessions in memory, for traces. Remembers only recent operations. */
export function createMemorySessionStore(options: MemorySessionStoreOptions): SessionStore {
  const { ttlMs, maxPerKey, maxLive = MAX_LIVE_SESSIONS, now } = options;
  const keys = new Map<string, Map<string, MemorySession>>();
  const operations = new Map<string, 'left' | MemorySession>();

  /** Includes expired sessions. */
  function all(keyHash: string): Map<string, MemorySession> {
    const sessions = keys.get(keyHash) ?? new Map<string, MemorySession>();
    keys.set(keyHash, sessions);
    return sessions;
  }

  /** Removes expired sessions. */
  function live(keyHash: string): Map<string, MemorySession> {
    const sessions = all(keyHash);
    for (const [id, entry] of sessions) {
      if (endOf(entry) <= now()) sessions.delete(id);
    }
    return sessions;
  }

  /** Removes expired sessions if there could be too many. */
  function counted(keyHash: string): Map<string, MemorySession> {
    const sessions = all(keyHash);
    return sessions.size >= (maxPerKey > 0 ? maxPerKey : maxLive) ? live(keyHash) : sessions;
  }

  function endOf({ lastUsedAt, answered }: MemorySession): number {
    return lastUsedAt + lifeMs(answered, ttlMs);
  }

  function runningCalls({ calls }: MemorySession): number {
    if (calls.size === 0) return 0;
    return [...calls.values()].filter((leaseEnd) => leaseEnd > now()).length;
  }

  /** Evicts the sessions that expire first. Returns false if all have running calls. */
  function evict(sessions: Map<string, MemorySession>): boolean {
    const idle = [...sessions].filter(([, entry]) => runningCalls(entry) === 0);
    const first = idle.map(([id, entry]) => ({ id, end: endOf(entry) })).sort((a, b) => a.end - b.end);
    for (const { id } of first.slice(0, Math.max(1, Math.floor(maxLive / EVICTED_PART)))) sessions.delete(id);
    return first.length > 0;
  }

  /** Mirrors life.lua. */
  function use(entry: MemorySession, operationId?: string): void {
    entry.lastUsedAt = now();
    const lease = Math.min(LEASE_MS, lifeMs(entry.answered, ttlMs));
    if (operationId !== undefined) entry.calls.set(operationId, now() + lease);
  }

  function findLife(name: SessionName, createdAt: number): MemorySession | undefined {
    const entry = find(name);
    return entry?.createdAt === createdAt ? entry : undefined;
  }

  function find({ keyHash, sessionId }: SessionName): MemorySession | undefined {
    const entry = all(keyHash).get(sessionId);
    return entry === undefined || endOf(entry) <= now() ? undefined : entry;
  }

  function remember(operationId: string, outcome: 'left' | MemorySession): void {
    operations.set(operationId, outcome);
    if (operations.size <= MAX_OPERATIONS + MAX_LATE_OPERATIONS) return;
    // Evicts in batches, because finding a Map's first key scans all entries deleted before it.
    for (const oldest of operations.keys()) {
      if (operations.size <= MAX_OPERATIONS) return;
      operations.delete(oldest);
    }
  }

  function view(name: SessionName, entry: MemorySession): Session {
    const { createdAt, lastUsedAt, steps, maxSteps, budgetNanoUsd, kept, answered } = entry;
    return {
      id: name.sessionId,
      createdAt,
      lastUsedAt,
      state: entry.state,
      steps,
      maxSteps,
      budgetNanoUsd,
      spendNanoUsd: options.spendOf?.(name) ?? 0,
      taintFlags: [...entry.taint.keys()],
      toolsCalled: [...entry.tool.keys()],
      marks: [...entry.mark.keys()],
      kept,
      answered,
      lifeMs: lifeMs(answered, ttlMs),
    };
  }

  function open(step: Step & SessionLimits): OpenResult {
    const found = find(step);
    const sessions = found === undefined ? counted(step.keyHash) : all(step.keyHash);
    const operation = operations.get(step.operationId);
    if (operation === 'left') return { kind: 'closed' };
    if (found !== undefined && operation === found) return opened(step, found);
    if (found === undefined && maxPerKey > 0 && sessions.size >= maxPerKey) {
      return { kind: 'too_many_sessions', liveSessions: sessions.size };
    }
    const entry = found ?? newMemorySession(now());
    entry.maxSteps = tighter(entry.maxSteps, step.maxSteps);
    entry.budgetNanoUsd = tighter(entry.budgetNanoUsd, step.budgetNanoUsd);
    const { steps, maxSteps = Infinity, budgetNanoUsd = Infinity } = entry;
    const session = view(step, entry);
    if (step.isMcpCall !== true && (steps >= maxSteps || session.spendNanoUsd >= budgetNanoUsd)) {
      if (found !== undefined) use(entry);
      return { kind: steps >= maxSteps ? 'max_steps_reached' : 'budget_spent', session };
    }
    if (found === undefined && maxPerKey === 0 && sessions.size >= maxLive && !evict(sessions)) {
      return { kind: 'too_many_sessions', liveSessions: sessions.size };
    }
    if (step.isMcpCall === true) entry.mcpCalls += 1;
    else entry.steps += 1;
    use(entry, step.operationId);
    sessions.set(step.sessionId, entry);
    remember(step.operationId, entry);
    return opened(step, entry);
  }

  function opened(name: SessionName, entry: MemorySession): OpenResult {
    return { kind: 'opened', session: view(name, entry), anchored: entry.anchor !== undefined };
  }

  function leave(step: Step): void {
    const operation = operations.get(step.operationId);
    remember(step.operationId, 'left');
    const entry = find(step);
    if (entry === undefined || operation !== entry) return;
    entry.calls.delete(step.operationId);
    if (step.isMcpCall === true) entry.mcpCalls -= 1;
    else entry.steps -= 1;
    if (entry.steps + entry.mcpCalls > 0 || entry.kept || entry.state !== undefined) return;
    all(step.keyHash).delete(step.sessionId);
  }

  function note(
    kind: keyof typeof MAX_NOTES,
    step: Step,
    written: string,
    { createdAt, answered = false }: { readonly createdAt?: number; readonly answered?: boolean } = {},
  ): Noted {
    const entry = find(step);
    if (entry === undefined || (createdAt ?? entry.createdAt) !== entry.createdAt) return 'gone';
    entry.kept = true;
    entry.answered ||= answered;
    use(entry);
    if (written === '') return 'known';
    const notes = entry[kind];
    const name = written.slice(0, MAX_NOTE_CHARS);
    const by = notes.get(name);
    if (by !== undefined) return by === step.operationId ? 'added' : 'known';
    if (notes.size >= MAX_NOTES[kind]) return 'full';
    notes.set(name, step.operationId);
    return 'added';
  }

  function moveState(step: Step, createdAt: number, move: StateMove): Moved {
    stateNames(move);
    const entry = findLife(step, createdAt);
    if (entry === undefined || operations.get(step.operationId) === 'left') return { kind: 'gone' };
    if (entry.moves.includes(step.operationId)) return { kind: 'moved' };
    if (entry.state !== move.from) return { kind: 'conflict', state: entry.state };
    entry.state = move.to;
    entry.moves.push(step.operationId);
    if (entry.moves.length > MOVES_KEPT) entry.moves.shift();
    use(entry);
    return { kind: 'moved' };
  }

  function moveBack(step: Step, createdAt: number, { from, to }: StateMove): void {
    if (operations.get(step.operationId) === 'left') return;
    remember(step.operationId, 'left');
    const entry = findLife(step, createdAt);
    if (entry?.state !== to || entry.moves.at(-1) !== step.operationId) return;
    entry.state = from;
    entry.moves.pop();
  }

  return {
    open: (step) => Promise.resolve(open(step)),
    readAhead: () => Promise.resolve(undefined),
    leave: (step) => Promise.resolve(leave(step)),
    renew(step, createdAt) {
      const entry = findLife(step, createdAt);
      if (entry !== undefined) use(entry, step.operationId);
      return Promise.resolve();
    },
    finish(step, createdAt) {
      const entry = findLife(step, createdAt);
      entry?.calls.delete(step.operationId);
      if (entry !== undefined) use(entry);
      return Promise.resolve();
    },
    noteAnswered(name, createdAt, anchor) {
      const entry = findLife(name, createdAt);
      if (entry !== undefined) {
        entry.answered = true;
        entry.anchor ??= anchor;
        use(entry);
      }
      return Promise.resolve();
    },
    addTaint: (step, flag) => Promise.resolve(note('taint', step, flag)),
    addMark: (step, mark) => Promise.resolve(note('mark', step, mark)),
    // Async, so that an invalid name rejects, as in the Redis store.
    moveState: async (step, createdAt, move) => Promise.resolve(moveState(step, createdAt, move)),
    moveBack: async (step, createdAt, move) => Promise.resolve(moveBack(step, createdAt, move)),
    keep: (step, createdAt, tool = '', answered) =>
      Promise.resolve(note('tool', step, tool, { createdAt, answered })),
    list(keyHash) {
      const sessions = [...live(keyHash)].map(([sessionId, entry]) => view({ keyHash, sessionId }, entry));
      return Promise.resolve(sessions.sort((a, b) => b.lastUsedAt - a.lastUsedAt));
    },
    peek(name) {
      const entry = find(name);
      return Promise.resolve(entry && view(name, entry));
    },
    read(name) {
      const entry = find(name);
      return Promise.resolve(
        entry && { session: view(name, entry), callsInFlight: runningCalls(entry), anchor: entry.anchor },
      );
    },
    end: (name) => Promise.resolve(find(name) !== undefined && all(name.keyHash).delete(name.sessionId)),
  };
}

function tighter(stored: number | undefined, requested: number | undefined): number | undefined {
  if (stored === undefined || requested === undefined) return stored ?? requested;
  return Math.min(stored, requested);
}
