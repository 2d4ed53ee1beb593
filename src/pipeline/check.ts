import type { Refusal } from '../errors.ts';
import type { JsonEdit } from '../json/path.ts';
import type { StreamEvent } from '../providers/dialect.ts';
import type { Awaitable } from '../turns.ts';
import type { Batch } from './batch.ts';
import type { Admitted, Answered, Identified, Outcome, Parsed } from './exchange.ts';

/** Judgement of an exchange by a check. Only the runner acts on it. */
export type Verdict =
  | Pass
  | Pending
  /** Noteworthy, but not refused: appears in the log, the metrics and the audit trail. */
  | Flag
  | Rewrite
  | Denial;

export type FinalVerdict = Exclude<Verdict, Pending>;

export interface Pass {
  readonly kind: 'pass';
}

/**
 * The check passes unless its store refuses. The store answers once all checks have judged; a rejection fails the
 * request. If the batch is dropped, the verdict is not awaited.
 */
export interface Pending {
  readonly kind: 'pending';
  readonly verdict: Promise<FinalVerdict>;
}

export interface Flag {
  readonly kind: 'flag';
  readonly reason: string;
}

/** Removes something and lets the rest proceed. */
export interface Rewrite {
  readonly kind: 'rewrite';
  /** Names rules and classes, never the matched text. */
  readonly reason: string;
  /** Changes the exchange (edits, headers); not called in shadow mode. */
  readonly apply: () => void;
  /** Same as for a denial. If it fails, the rewritten text still proceeds. */
  readonly enforce?: () => Promise<void>;
}

export interface Denial extends Refusal {
  readonly kind: 'deny';
  /**
   * Applies consequences (a lock, a score) before the refusal is sent. Not called in shadow mode. A failure is only
   * reported.
   */
  readonly enforce?: () => Promise<void>;
}

export function asDenial({ type, message }: Refusal): Denial {
  return { kind: 'deny', type, message };
}

export const PASS: Pass = { kind: 'pass' };

/** Facts about a request while Redis looks up its key. */
export interface Caller {
  /** `sha256:<hex>`: identity of the key when it was last seen. */
  readonly keyHash: string;
  /** The well-formed session id of a model call. */
  readonly sessionId?: string | undefined;
}

/**
 * A check judges and returns a verdict. It changes a request by appending to `exchange.edits`, and the headers of an
 * answer through `exchange.responseHeaders`. All requests share a check; the state of one exchange is what `begin`
 * returns. Hooks run in the order of the checks (checks/order.ts).
 */
export interface Check<State = unknown, Name extends string = string> {
  readonly name: Name;
  /** True if `server.shadow_mode` turns its denials into records (docs/serving.md#shadow-mode). */
  readonly shadowable: boolean;
  /**
   * Set if the check judges or counts by data stored for earlier requests. If data that was read ahead proves stale,
   * `prepare` and `requestBody` run again, and their results replace the first ones.
   */
  readonly repeatable?: true;
  /** Whether `requestBody` runs only after all stores have accepted the request, right before it is forwarded. */
  readonly judgesLast?: boolean;
  /** Called once per exchange, before the other hooks. */
  begin?(): State;
  /**
   * Starts reads from the check's store, so that all checks wait only once. Called for all checks before they judge:
   * with a `Caller` while Redis looks up the key, and with the request before `requestBody`. The caller's key was valid
   * before but may no longer be valid: only what is charged to the key alone may be reserved, and `end` gives back what
   * is reserved later. Must not throw or leave a rejection unhandled.
   */
  prepare?(request: Caller | Parsed, state: State, batch?: Batch): void;
  /** Judges a request by its key alone. Malformed requests and unknown routes get no later hook, not even `end`. */
  admit?(exchange: Admitted, state: State): Awaitable<Verdict>;
  requestHeaders?(exchange: Identified, state: State): Awaitable<Verdict>;
  /** Operations in `batch` take effect if no check denies and no store refuses. */
  requestBody?(exchange: Parsed, state: State, batch?: Batch): Awaitable<Verdict>;
  /** Judges a whole answer before the client gets it, or a stream's headers. `batch` takes effect in any case. */
  response?(exchange: Answered, state: State, batch?: Batch): Awaitable<Verdict>;
  stream?(exchange: Answered, state: State): StreamRewriter | undefined;
  /** Called once for every routed request, even after a denial, a cut or a disconnection. Must not throw. */
  end?(exchange: Identified, outcome: Outcome, state: State): Awaitable<void>;
}

export function isParsed(request: Caller | Parsed): request is Parsed {
  return 'request' in request;
}

/**
 * Rewrites a streamed answer event by event, based on decoded deltas. Each rewriter receives what the previous one has
 * passed on. In shadow mode, its verdicts are only recorded.
 */
export interface StreamRewriter {
  /** False if it judges no text: unreadable text then does not stop the stream. */
  readonly readsText?: false;
  /** Called with each event as received, before any rewriter changes, holds back or drops it. */
  received?(event: StreamEvent): void;
  /**
   * Undefined if every event passes. Should be synchronous, because the chunks of an answer wait for it. Not called
   * after a cut.
   */
  event?(event: StreamEvent): Awaitable<StreamAction>;
  /** Returns held text at the end of the stream. Not called after a cut. */
  end?(): Awaitable<StreamTail | undefined>;
  /** Returns an SSE comment for the client, once, at the very end, even after a cut. May wait for the settlement. */
  comment?(): Awaitable<string | undefined>;
}

export type StreamAction =
  | { readonly kind: 'pass' }
  | { readonly kind: 'drop' }
  | StreamRewrite
  /** Ends the stream with an error frame in its dialect. Nothing of this event is sent. */
  | { readonly kind: 'cut'; readonly denial: Denial };

export interface StreamRewrite {
  readonly kind: 'rewrite';
  /** Frames to send before those of this event: held frames, and copies that contain held text. */
  readonly before?: readonly RewrittenFrame[];
  /**
   * Changes to this event's JSON, with paths as in its deltas. Without any, the frame is sent byte for byte. If the
   * event is not JSON, a `set` of the path `[]` contains the whole new payload.
   */
  readonly edits?: readonly JsonEdit[];
  /** Set if the rewriter keeps this event and returns it in a later `before`. */
  readonly held?: true;
  /** Recorded as this check's verdict, as a flag if nothing changes. Absent if text is only delayed. */
  readonly reason?: string;
  /** Same as for a denial: completed before the client gets the frame. Not called in shadow mode. */
  readonly enforce?: () => Promise<void>;
}

export interface RewrittenFrame {
  readonly event: StreamEvent;
  readonly edits: readonly JsonEdit[];
  /** Set if this is a copy in the same shape, because the event's own frame has already been sent. */
  readonly copy?: true;
}

export interface StreamTail {
  readonly before?: readonly RewrittenFrame[];
  readonly reason?: string;
  /** Set if the end of the text must not pass: cuts the stream instead of ending it. */
  readonly cut?: Denial;
}

export const PASS_EVENT: StreamAction = { kind: 'pass' };
