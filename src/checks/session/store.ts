import type { Batch } from '../../pipeline/batch.ts';
import type { SessionName } from '../../conversation/session-name.ts';

/** Maximum number of different taints, tools and policy marks per session. */
export const MAX_NOTES = { taint: 64, tool: 256, mark: 64 } as const;
/** Longer names are truncated. */
export const MAX_NOTE_CHARS = 128;
/** Longer state names are invalid, because truncated names could collide. */
export const MAX_STATE_CHARS = 128;

/** Maximum number of live sessions per key without `session.max_per_key`. Beyond it, sessions are evicted. */
export const MAX_LIVE_SESSIONS = 10_000;
/** Maximum Redis bytes of such a key's sessions, without anchors. Beyond it, sessions are evicted. */
export const MAX_KEY_BYTES = 67_108_864;
/** With fewer sessions, a key's memory use is low and not measured. */
export const MEASURED_FROM = 512;

/** Retry period for giving back a step. Redis remembers given-back steps for longer. */
export const REFUND_MS = 240_000;

export interface Step extends SessionName {
  /** 128 random bits in hex. Repeating a command with the same id has no effect. */
  readonly operationId: string;
  /** Set for MCP calls, which take no step and ignore step and spend limits. */
  readonly isMcpCall?: true;
}

export interface SessionLimits {
  readonly maxSteps: number | undefined;
  readonly budgetNanoUsd: number | undefined;
}

/** A session's state. Times are Unix ms. */
export interface Session extends SessionLimits {
  readonly id: string;
  /** Distinguishes successive sessions with the same name. */
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** Undefined until a policy moves the session. */
  readonly state: string | undefined;
  /** Number of model calls that were forwarded or are in flight. */
  readonly steps: number;
  /** Settled calls only. */
  readonly spendNanoUsd: number;
  readonly taintFlags: readonly string[];
  readonly toolsCalled: readonly string[];
  readonly marks: readonly string[];
  /** Whether something was noted. The session then stays until idle or ended, even if all its calls fail. */
  readonly kept: boolean;
  readonly answered: boolean;
  readonly lifeMs: number;
}

export interface SessionAhead {
  /** Initial state, created at 0, if the session is not open. */
  readonly session: Session;
  readonly isOpen: boolean;
  readonly revision: number;
  readonly anchored: boolean;
}

export type OpenResult =
  | {
      readonly kind: 'opened';
      /** Includes this call's step, if it takes one. */
      readonly session: Session;
      /** Whether the session's first user request is stored. */
      readonly anchored: boolean;
    }
  | { readonly kind: 'max_steps_reached' | 'budget_spent'; readonly session: Session }
  /** A new session would exceed the limit of the key, or all its sessions have calls in flight. */
  | { readonly kind: 'too_many_sessions'; readonly liveSessions: number }
  /** The step was given back before it was taken, because the request was abandoned. */
  | { readonly kind: 'closed' }
  /** The session has changed since it was read ahead, or refuses the call. Nothing was changed. */
  | { readonly kind: 'changed' };

/** `full`: nothing more can be stored, and checks that need the note must refuse. `gone`: the session has ended. */
export type Noted = 'added' | 'known' | 'full' | 'gone';

/** A move from the state in which a call was judged (undefined before the first move) to another state. */
export interface StateMove {
  readonly from: string | undefined;
  readonly to: string;
}

export type Moved =
  | { readonly kind: 'moved' }
  /** Another call has moved the session to `state`, so the call must be judged again. */
  | { readonly kind: 'conflict'; readonly state: string | undefined }
  /** The session has ended, or the move was undone before it was made. */
  | { readonly kind: 'gone' };

/** A session and its first user request (`anchor`), which is stored masked. */
export interface SessionDetails {
  readonly session: Session;
  readonly callsInFlight: number;
  readonly anchor: string | undefined;
}

/**
 * Stores sessions (docs/sessions.md). Session changes are atomic and may be repeated. Failures throw
 * `redis_unavailable`. A session expires if unused for `session.ttl`, or for UNANSWERED_LIFE_MS until a call is
 * answered with 2xx. Without `session.max_per_key`, a key's sessions beyond MAX_LIVE_SESSIONS or MAX_KEY_BYTES are
 * evicted: those without an answer first, then the least recently used, but never one with a call in flight.
 */
export interface SessionStore {
  /**
   * Opens the session if needed, tightens its limits, and takes a step or refuses it. The call is in flight until
   * `leave` or `finish`, or until its lease ends.
   * @param ahead session by which the call was judged; if it has changed, the whole batch is skipped
   */
  open(step: Step & SessionLimits, batch?: Batch, ahead?: SessionAhead): Promise<OpenResult>;
  /** Reads a session for a later `open`, and extends its anchor's lifetime. Resolves to undefined if unsupported. */
  readAhead(name: SessionName): Promise<SessionAhead | undefined>;
  /** Reads a session in one round trip. Resolves to undefined if it is not open. */
  peek(name: SessionName): Promise<Session | undefined>;
  /** Gives back a step or call, and removes an unused session. Without `createdAt`, the reply to `open` was lost. */
  leave(step: Step, createdAt: number | undefined): Promise<void>;
  /** Extends the lease of a call. Also starts a call if the session was already open. */
  renew(step: Step, createdAt: number): Promise<void>;
  /** Ends a forwarded call, which stays counted. */
  finish(step: Step, createdAt: number, batch?: Batch): Promise<void>;
  /** Records a 2xx answer, and stores the session's first user request (`anchor`) once. */
  noteAnswered(
    name: SessionName,
    createdAt: number,
    anchor: string | undefined,
    batch?: Batch,
  ): Promise<void>;
  addTaint(step: Step, flag: string): Promise<Noted>;
  addMark(step: Step, mark: string): Promise<Noted>;
  /** Moves the session's state if it still is `from`. Rejects with RangeError for an invalid name. */
  moveState(step: Step, createdAt: number, move: StateMove): Promise<Moved>;
  /** Undoes this operation's move, unless another move followed. A move that arrives later has no effect. */
  moveBack(step: Step, createdAt: number, move: StateMove): Promise<void>;
  /**
   * Records that an MCP server may have run a call (answered with 2xx if `answered`). The session then stays until idle
   * or ended.
   */
  keep(step: Step, createdAt: number, tool: string | undefined, answered: boolean): Promise<Noted>;
  /** Returns the live sessions of a key, most recently used first. */
  list(keyHash: string): Promise<readonly Session[]>;
  read(name: SessionName): Promise<SessionDetails | undefined>;
  /**
   * Removes the session and its data; overflowing loop counters expire on their own. Resolves to false if there was
   * nothing to remove.
   */
  end(name: SessionName): Promise<boolean>;
}

/** Adds this call's step. Returns undefined if the call may be refused or change the session's limits. */
export function asIfOpened({ session, isOpen }: SessionAhead, requested: SessionLimits): Session | undefined {
  if (isOpen && isTighter(requested, session)) return undefined;
  const { maxSteps, budgetNanoUsd } = isOpen ? session : requested;
  const { steps, spendNanoUsd } = session;
  if (steps >= (maxSteps ?? Infinity) || spendNanoUsd >= (budgetNanoUsd ?? Infinity)) return undefined;
  return { ...session, maxSteps, budgetNanoUsd, steps: steps + 1 };
}

export function isTighter(
  requested: SessionLimits,
  { maxSteps = Infinity, budgetNanoUsd = Infinity }: SessionLimits,
): boolean {
  return (requested.maxSteps ?? Infinity) < maxSteps || (requested.budgetNanoUsd ?? Infinity) < budgetNanoUsd;
}
