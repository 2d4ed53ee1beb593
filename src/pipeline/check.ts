import type { Refusal } from '../errors.ts';
import type { JsonEdit } from '../json/path.ts';
import type { StreamEvent } from '../providers/dialect.ts';
import type { Awaitable } from '../turns.ts';
import type { Batch } from './batch.ts';
import type { Admitted, Answered, Identified, Outcome, Parsed } from './exchange.ts';

/** A check's judgement of an exchange. Only the runner acts on it. */
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
 * The check passes unless its store refuses. The store answers once all checks have judged. If the promise rejects, the
 * request fails, except for `StaleRead`. If the batch is dropped, the outcome is ignored.
 */
export interface Pending {
  readonly kind: 'pending';
  readonly verdict: Promise<FinalVerdict>;
}

export interface Flag {
  readonly kind: 'flag';
  readonly reason: string;
}

export interface Rewrite {
  readonly kind: 'rewrite';
  /** Contains rule and class names, never the matched text. */
  readonly reason: string;
  /** Changes the exchange (edits, headers); not called in shadow mode. */
  readonly apply: () => void;
  /** Same as for a denial. If it fails, the rewritten text still proceeds. */
  readonly enforce?: () => Promise<void>;
}

export interface Denial extends Refusal {
  readonly kind: 'deny';
  /**
   * Applies consequences (a lock, a score) before the refusal is sent; not in shadow mode. Failures are only reported.
   */
  readonly enforce?: () => Promise<void>;
}

export function asDenial({ type, message }: Refusal): Denial {
  return { kind: 'deny', type, message };
}

export const PASS: Pass = { kind: 'pass' };

/** Facts known about a request while Redis looks up its key. */
export interface Caller {
  /** The key's identity (`sha256:<hex>`) when it was last seen. */
  readonly keyHash: string;
  /** Session id of a model call, if it is well-formed. */
  readonly sessionId?: string | undefined;
}

/**
 * A check judges exchanges and returns verdicts. It changes a request by appending to `exchange.edits`, and the
 * response headers through `exchange.responseHeaders`. All exchanges share one instance; `begin` returns the state for
 * one exchange. Hooks run in check order (checks/order.ts), `end` in reverse.
 */
export interface Check<State = unknown, Name extends string = string> {
  readonly name: Name;
  /** True if `server.shadow_mode` turns its denials into records (docs/serving.md#shadow-mode). */
  readonly shadowable: boolean;
  /**
   * Set if the check's verdicts or counts depend on data stored for earlier requests. If data read ahead proves stale,
   * `prepare` and `requestBody` run again, and their results replace the first ones.
   */
  readonly repeatable?: true;
  /** Whether `requestBody` runs only after all stores have accepted the request, just before it is forwarded. */
  readonly judgesLast?: boolean;
  begin?(): State;
  /**
   * Starts the check's store reads, so that all checks wait only once. Called for all checks before they judge: with a
   * `Caller` while Redis looks up the key, and with the request before `requestBody`. The caller's key may no longer be
   * valid, so a `Caller` permits only reservations that are charged to the key alone. `end` must release everything
   * that is reserved later. Must not throw or leave a rejection unhandled.
   */
  prepare?(request: Caller | Parsed, state: State, batch?: Batch): void;
  /** Judges a request by its key alone. Malformed requests and unknown routes reach no later hook, not even `end`. */
  admit?(exchange: Admitted, state: State): Awaitable<Verdict>;
  requestHeaders?(exchange: Identified, state: State): Awaitable<Verdict>;
  /** Operations in `batch` take effect only if no check denies and no store refuses. */
  requestBody?(exchange: Parsed, state: State, batch?: Batch): Awaitable<Verdict>;
  /** Judges a whole answer or a stream's headers before the client gets them. `batch` always takes effect. */
  response?(exchange: Answered, state: State, batch?: Batch): Awaitable<Verdict>;
  stream?(exchange: Answered, state: State): StreamRewriter | undefined;
  /** Called once for every routed request, even after a denial, a cut stream or a disconnection. Must not throw. */
  end?(exchange: Identified, outcome: Outcome, state: State): Awaitable<void>;
}

export function isParsed(request: Caller | Parsed): request is Parsed {
  return 'request' in request;
}

/**
 * Rewrites a streamed answer event by event, based on decoded deltas. Each rewriter receives the previous one's output.
 * In shadow mode, its verdicts are only recorded.
 */
export interface StreamRewriter {
  /** False if the rewriter judges no text. Undecodable text then does not stop the stream. */
  readonly readsText?: false;
  /** Called with each event as received, before any rewriter changes, holds back or drops it. */
  received?(event: StreamEvent): void;
  /** Absent if all events pass. Should be synchronous, because chunks wait for it. Not called after a cut. */
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
  /** Set if the end of the text must not pass. The stream then ends as after a `cut`. */
  readonly cut?: Denial;
}

export const PASS_EVENT: StreamAction = { kind: 'pass' };
