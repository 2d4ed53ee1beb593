import type { Batch } from '../../pipeline/batch.ts';
import type { SessionName } from '../../conversation/session-name.ts';

/** Limits of different taints, tools and policy marks in a session. */
export const MAX_NOTES = { taint: 64, tool: 256, mark: 64 } as const;
/** Longer names of taints, tools and marks are cut. */
export const MAX_NOTE_CHARS = 128;
/** Longer state names are invalid: cut, they might equal another. */
export const MAX_STATE_CHARS = 128;

/** Live sessions of a key without `session.max_per_key`; beyond it, the oldest is evicted. */
export const MAX_LIVE_SESSIONS = 10_000;
/** Redis memory of such a key's sessions without their anchors; beyond it, the oldest are evicted. */
export const MAX_KEY_BYTES = 67_108_864;
/** Fewer sessions cannot take that much, and are not measured. */
export const MEASURED_FROM = 512;

/** Time during which giving back a step is retried; Redis remembers steps given back for longer. */
export const REFUND_MS = 240_000;

/** A call that takes one step of a session, identified by these values. */
export interface Step extends SessionName {
  /** A random UUID; repeating a command with it changes nothing. */
  readonly operationId: string;
  /** A call of an MCP server: takes no step, and no step or spend limit refuses it. */
  readonly isMcpCall?: true;
}

/** The session limits in a request; undefined if it names none. */
export interface SessionLimits {
  readonly maxSteps: number | undefined;
  readonly budgetNanoUsd: number | undefined;
}

/** One session's state. Times are Unix ms. */
export interface Session extends SessionLimits {
  readonly id: string;
  /** Tells one life of a session from another of the same name. */
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** Undefined until a policy moves it. */
  readonly state: string | undefined;
  /** Calls that were forwarded, and those in flight. */
  readonly steps: number;
  /** Settled calls only. */
  readonly spendNanoUsd: number;
  /** In the order in which they came. */
  readonly taintFlags: readonly string[];
  readonly toolsCalled: readonly string[];
  readonly marks: readonly string[];
  /** Something was noted: it stays until it is idle or ended, whatever becomes of the calls on their way. */
  readonly kept: boolean;
  /** A call of it was answered 2xx. */
  readonly answered: boolean;
  /** How long it lives from its last use. */
  readonly lifeMs: number;
}

/** A session as it was read before it is to be opened. */
export interface SessionAhead {
  /** As it would begin, created at 0, where it is not open. */
  readonly session: Session;
  readonly isOpen: boolean;
  /** How often it had been written. */
  readonly revision: number;
  /** Its first user request is stored. */
  readonly anchored: boolean;
}

export type OpenResult =
  | {
      readonly kind: 'opened';
      /** This call's step included, if it takes one. */
      readonly session: Session;
      /** The session's first user request is stored already. */
      readonly anchored: boolean;
    }
  | { readonly kind: 'max_steps_reached' | 'budget_spent'; readonly session: Session }
  /**
   * The key has as many live sessions as it may have, or as fit with a call on its way in each; this one would be new.
   */
  | { readonly kind: 'too_many_sessions'; readonly liveSessions: number }
  /** The step was given back before it was taken (its request had been given up). */
  | { readonly kind: 'closed' }
  /** The session is not as it was read ahead any more, or refuses the call: nothing was done. */
  | { readonly kind: 'changed' };

/**
 * What became of a taint, a tool's name or a mark. `full`: the session holds as many others as it may, so whoever judges by
 * them must refuse; `gone`: the session has ended.
 */
export type Noted = 'added' | 'known' | 'full' | 'gone';

/** From the state that a call was judged by (undefined: nobody has moved the session yet) to another one. */
export interface StateMove {
  readonly from: string | undefined;
  readonly to: string;
}

export type Moved =
  | { readonly kind: 'moved' }
  /** Somebody else has moved the session, to this state: whoever judged by the old one must judge again. */
  | { readonly kind: 'conflict'; readonly state: string | undefined }
  /** That life of the session has ended, or the move was given back before it was made. */
  | { readonly kind: 'gone' };

/** A session and its stored first user request, masked. */
export interface SessionDetails {
  readonly session: Session;
  readonly callsOnTheirWay: number;
  readonly anchor: string | undefined;
}

/**
 * Where sessions live (docs/sessions.md). Every method is atomic and safe to repeat; a failure of the store throws
 * `redis_unavailable`. Whatever belongs to a session is forgotten once it was not used for `session.ttl`, or for
 * UNANSWERED_LIFE_MS as long as none of its calls was answered 2xx. Of more than MAX_LIVE_SESSIONS of a key the first to
 * go makes room for the next: those without an answer first, and then the least recently used, never one with a call on
 * its way.
 */
export interface SessionStore {
  /**
   * Opens the session where it is not open yet, tightens its limits, and takes a step or refuses it. The call is on its
   * way until `leave` or `finish`, or until its lease ends.
   * @param ahead what the call was judged by: nothing is done, nor anything else of the batch, where it is not so any more
   */
  open(step: Step & SessionLimits, batch?: Batch, ahead?: SessionAhead): Promise<OpenResult>;
  /**
   * The session as it stands, for whoever opens it later as it was; what is stored of its first request lives on. Undefined
   * where nothing can be judged by it.
   */
  readAhead(name: SessionName): Promise<SessionAhead | undefined>;
  /** The session as it stands, in one wait; undefined where it is not open. */
  peek(name: SessionName): Promise<Session | undefined>;
  /**
   * Gives a step, or an MCP call, back; a session that is left with none, and in which nothing was noted, is forgotten,
   * as if it had never been opened.
   * @param createdAt of the session that the step was taken in; undefined where the answer of `open` was lost
   */
  leave(step: Step, createdAt: number | undefined): Promise<void>;
  /** Says that a call is still on its way; it may begin with this where the session was open already. */
  renew(step: Step, createdAt: number): Promise<void>;
  /** The call is over: it was forwarded, and stays counted. */
  finish(step: Step, createdAt: number, batch?: Batch): Promise<void>;
  /**
   * A call was answered 2xx, if this life of the session still runs.
   * @param anchor the session's first user request, stored once
   */
  noteAnswered(
    name: SessionName,
    createdAt: number,
    anchor: string | undefined,
    batch?: Batch,
  ): Promise<void>;
  addTaint(step: Step, flag: string): Promise<Noted>;
  /** What policies want to know again of a step. */
  addMark(step: Step, mark: string): Promise<Noted>;
  /**
   * Moves the session's state where it still is the one that the move comes from; it stays from then on.
   * @throws RangeError for the name of a state that is empty or longer than MAX_STATE_CHARS
   */
  moveState(step: Step, createdAt: number, move: StateMove): Promise<Moved>;
  /** Undoes this operation's move, unless somebody has moved the session since; made later, it moves nothing. */
  moveBack(step: Step, createdAt: number, move: StateMove): Promise<void>;
  /**
   * An MCP server has taken a call in this life of the session, which therefore stays until it is idle or ended.
   * @param tool that was called; undefined where the call was of another kind
   * @param answered 2xx
   */
  keep(step: Step, createdAt: number, tool: string | undefined, answered: boolean): Promise<Noted>;
  /** A key's live sessions, the last used first. */
  list(keyHash: string): Promise<readonly Session[]>;
  read(name: SessionName): Promise<SessionDetails | undefined>;
  /** Forgets everything of a session; false where there was nothing. */
  end(name: SessionName): Promise<boolean>;
}
