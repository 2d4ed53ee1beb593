import type { Batch } from '../../pipeline/batch.ts';
import type { SessionName } from '../../conversation/session-name.ts';

/** Most different taints, tools and policy marks in a session. */
export const MAX_NOTES = { taint: 64, tool: 256, mark: 64 } as const;
/** Longer names are cut. */
export const MAX_NOTE_CHARS = 128;
/** Longer state names are invalid: if cut, they might equal another. */
export const MAX_STATE_CHARS = 128;

/** Most live sessions of a key without `session.max_per_key`; then the oldest is evicted. */
export const MAX_LIVE_SESSIONS = 10_000;
/** Redis memory of such a key's sessions without their anchors; then the oldest are evicted. */
export const MAX_KEY_BYTES = 67_108_864;
/** Fewer sessions cannot use that much, and are not measured. */
export const MEASURED_FROM = 512;

/** How long giving back a step is retried; Redis remembers steps given back for longer. */
export const REFUND_MS = 240_000;

/** Identifies a call that takes one step of a session. */
export interface Step extends SessionName {
  /** A random UUID; repeating a command with it changes nothing. */
  readonly operationId: string;
  /** An MCP call: takes no step, and is not refused by a step or spend limit. */
  readonly isMcpCall?: true;
}

export interface SessionLimits {
  readonly maxSteps: number | undefined;
  readonly budgetNanoUsd: number | undefined;
}

/** A session's state. Times are Unix ms. */
export interface Session extends SessionLimits {
  readonly id: string;
  /** Distinguishes sessions that had the same name one after another. */
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** Undefined until a policy moves it. */
  readonly state: string | undefined;
  /** Calls that were forwarded or are in flight. */
  readonly steps: number;
  /** Settled calls only. */
  readonly spendNanoUsd: number;
  /** In order of arrival. */
  readonly taintFlags: readonly string[];
  readonly toolsCalled: readonly string[];
  readonly marks: readonly string[];
  /** Something was noted: the session stays until it is idle or ended, even if all its calls fail. */
  readonly kept: boolean;
  /** A call was answered 2xx. */
  readonly answered: boolean;
  /** Lifetime after its last use. */
  readonly lifeMs: number;
}

/** A session read before it is opened. */
export interface SessionAhead {
  /** If it is not open, its initial state, created at 0. */
  readonly session: Session;
  readonly isOpen: boolean;
  /** Number of writes. */
  readonly revision: number;
  readonly anchored: boolean;
}

export type OpenResult =
  | {
      readonly kind: 'opened';
      /** Includes this call's step, if it takes one. */
      readonly session: Session;
      /** The session's first user request is stored. */
      readonly anchored: boolean;
    }
  | { readonly kind: 'max_steps_reached' | 'budget_spent'; readonly session: Session }
  /** A new session would exceed the key's limit, or all its sessions have calls in flight. */
  | { readonly kind: 'too_many_sessions'; readonly liveSessions: number }
  /** The step was given back before it was taken: its request had been given up. */
  | { readonly kind: 'closed' }
  /** The session has changed since it was read ahead, or refuses the call. Nothing was done. */
  | { readonly kind: 'changed' };

/**
 * Result of noting a taint, a tool or a mark. `full`: the session can hold no more, so checks that depend on it must
 * refuse; `gone`: the session has ended.
 */
export type Noted = 'added' | 'known' | 'full' | 'gone';

/** A move from the state that a call was judged by (undefined before the first move) to another. */
export interface StateMove {
  readonly from: string | undefined;
  readonly to: string;
}

export type Moved =
  | { readonly kind: 'moved' }
  /** Another call has moved the session to this state, so the call must be judged again. */
  | { readonly kind: 'conflict'; readonly state: string | undefined }
  /** That session has ended, or the move was undone before it was made. */
  | { readonly kind: 'gone' };

/** A session and its stored first user request, masked. */
export interface SessionDetails {
  readonly session: Session;
  readonly callsInFlight: number;
  readonly anchor: string | undefined;
}

/**
 * Sessions (docs/sessions.md). Every method is atomic and safe to repeat. Failures throw `redis_unavailable`. A session
 * is forgotten when it was not used for `session.ttl`, or for UNANSWERED_LIFE_MS if none of its calls was answered 2xx.
 * A key's sessions beyond MAX_LIVE_SESSIONS are evicted: those without an answer first, then the least recently used,
 * but never one with a call in flight. `createdAt` identifies the session among those that had its name.
 */
export interface SessionStore {
  /**
   * Opens the session if needed, tightens its limits, and takes a step or refuses it. The call is in flight until
   * `leave` or `finish`, or until its lease ends.
   * @param ahead session by which the call was judged; if it has changed, nothing in the batch is done
   */
  open(step: Step & SessionLimits, batch?: Batch, ahead?: SessionAhead): Promise<OpenResult>;
  /** Reads a session for a later `open`, and extends its anchor's life. Returns undefined if the store cannot do so. */
  readAhead(name: SessionName): Promise<SessionAhead | undefined>;
  /** Reads a session in one round trip; undefined if it is not open. */
  peek(name: SessionName): Promise<Session | undefined>;
  /**
   * Gives a step or an MCP call back. A session without any other, and without notes, is forgotten as if it had never
   * been opened.
   * @param createdAt undefined if the reply of `open` was lost
   */
  leave(step: Step, createdAt: number | undefined): Promise<void>;
  /** Extends a call's lease; also begins one, if the session was open already. */
  renew(step: Step, createdAt: number): Promise<void>;
  /** Ends a call that was forwarded; it stays counted. */
  finish(step: Step, createdAt: number, batch?: Batch): Promise<void>;
  /**
   * Records a 2xx answer.
   * @param anchor the session's first user request, stored once
   */
  noteAnswered(
    name: SessionName,
    createdAt: number,
    anchor: string | undefined,
    batch?: Batch,
  ): Promise<void>;
  addTaint(step: Step, flag: string): Promise<Noted>;
  /** Adds what policies will ask about later. */
  addMark(step: Step, mark: string): Promise<Noted>;
  /**
   * Moves the session's state, if it still is `from`. It is kept until the session ends.
   * @throws RangeError for a state name that is empty or longer than MAX_STATE_CHARS
   */
  moveState(step: Step, createdAt: number, move: StateMove): Promise<Moved>;
  /** Undoes this operation's move, unless another has followed. If the move comes later, it has no effect. */
  moveBack(step: Step, createdAt: number, move: StateMove): Promise<void>;
  /**
   * Records that an MCP server accepted a call, so that the session stays until it is idle or ended.
   * @param tool undefined for requests other than tool calls
   * @param answered whether it was answered 2xx
   */
  keep(step: Step, createdAt: number, tool: string | undefined, answered: boolean): Promise<Noted>;
  /** A key's live sessions, last used first. */
  list(keyHash: string): Promise<readonly Session[]>;
  read(name: SessionName): Promise<SessionDetails | undefined>;
  /** Removes the session and all that belongs to it. Returns false if there was nothing. */
  end(name: SessionName): Promise<boolean>;
}

/**
 * Returns a session read ahead with one more step, or undefined if the call might be refused or change the session's
 * limits: then it is opened before other checks judge.
 */
export function asIfOpened({ session, isOpen }: SessionAhead, requested: SessionLimits): Session | undefined {
  if (isOpen && isTighter(requested, session)) return undefined;
  const { maxSteps, budgetNanoUsd } = isOpen ? session : requested;
  const { steps, spendNanoUsd } = session;
  if (steps >= (maxSteps ?? Infinity) || spendNanoUsd >= (budgetNanoUsd ?? Infinity)) return undefined;
  return { ...session, maxSteps, budgetNanoUsd, steps: steps + 1 };
}

/** Reports whether a request's limits change those of its session. */
export function isTighter(
  requested: SessionLimits,
  { maxSteps = Infinity, budgetNanoUsd = Infinity }: SessionLimits,
): boolean {
  return (requested.maxSteps ?? Infinity) < maxSteps || (requested.budgetNanoUsd ?? Infinity) < budgetNanoUsd;
}
