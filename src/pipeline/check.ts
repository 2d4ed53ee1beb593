import type { Refusal } from '../errors.ts';
import type { JsonEdit } from '../json/path.ts';
import type { StreamEvent } from '../providers/provider.ts';
import type { Admitted, Answered, Identified, Outcome, Parsed } from './exchange.ts';
import type { Phase } from './phase.ts';

/** What a check says of an exchange. Only the runner acts on it. */
export type Verdict =
  | Pass
  | Pending
  /** Noteworthy, not refused: shown in log, metric and audit. */
  | Flag
  | Rewrite
  | Denial;

/** Known now. */
export type FinalVerdict = Exclude<Verdict, Pending>;

export interface Pass {
  readonly kind: 'pass';
}

/**
 * Nothing against it so far: the store decides, which is asked once all have judged. Its failure fails the request, as
 * that of a hook does; where the phase is dropped nobody waits for it.
 */
export interface Pending {
  readonly kind: 'pending';
  readonly verdict: Promise<FinalVerdict>;
}

export interface Flag {
  readonly kind: 'flag';
  readonly reason: string;
}

/** Something is taken out, and the rest goes on. */
export interface Rewrite {
  readonly kind: 'rewrite';
  /** Names rules and classes, never what was matched. */
  readonly reason: string;
  /** Changes the exchange (edits, headers); not called in shadow mode. */
  readonly apply: () => void;
  /** As a denial's: its failure is reported, and what is rewritten goes on. */
  readonly enforce?: () => Promise<void>;
}

export interface Denial extends Refusal {
  readonly kind: 'deny';
  /**
   * What goes with the denial (a lock, a score): awaited before the client learns of it; not called in shadow mode.
   * Its failure is reported, and the denial stands.
   */
  readonly enforce?: () => Promise<void>;
}

/** What was thrown as a refusal, as a check says it. */
export function asDenial({ type, message }: Refusal): Denial {
  return { kind: 'deny', type, message };
}

export const PASS: Pass = { kind: 'pass' };

/** Who is going to be identified: what is known of a request while its key is looked up. */
export interface Caller {
  /** `sha256:<hex>` of the identity that the key was of when it was last seen. */
  readonly keyHash: string;
  /** Of the session that a call of a model names, well formed; undefined where it is none, or names none. */
  readonly sessionId?: string | undefined;
}

type Awaitable<T> = T | Promise<T>;

/**
 * A check judges and returns a verdict; it changes a request by appending to `exchange.edits` and an answer's
 * headers through `exchange.responseHeaders`. State of one exchange is what `begin` returns, so that a check
 * object itself is shared by all requests.
 */
export interface Check<State = unknown, Name extends string = string> {
  /** Stable: a metric label and a log field. */
  readonly name: Name;
  /** True where `server.shadow_mode` turns its denials into records (docs/serving.md#shadow-mode). */
  readonly shadowable: boolean;
  /**
   * It judges by what is kept of earlier requests, or counts by it: where that was read ahead and cannot be judged by, its
   * `prepare` and `requestBody` are called once more, and replace what they said and asked for.
   */
  readonly repeatable?: true;
  /** Called once per exchange, before the first hook. */
  begin?(): State;
  /**
   * Asks its store what it needs of the key and of what the headers name, in the wait for the key's record. Whether the
   * key is good is not known yet, but it was before: it takes nothing but what the key alone pays for. Must not throw, and
   * handles the rejection of what it starts.
   */
  identify?(caller: Caller, state: State, phase?: Phase): void;
  /**
   * Judges a request by its key alone, before its address and form are: also one that is malformed, or leads nowhere,
   * for which no other hook is called then, `end` neither.
   */
  admit?(exchange: Admitted, state: State): Awaitable<Verdict>;
  requestHeaders?(exchange: Identified, state: State): Awaitable<Verdict>;
  /**
   * Called for all checks, in order, before the first of them judges the body: asks its store what it judges by, so that
   * all wait once. What it takes, its `end` gives back; it must not throw, and handles the rejection of what it starts.
   */
  prepare?(exchange: Parsed, state: State, phase?: Phase): void;
  /** What it takes in `phase` is taken if no check denies, and none is refused by its store. */
  requestBody?(exchange: Parsed, state: State, phase?: Phase): Awaitable<Verdict>;
  /** All was taken that is taken for the request: the last word before it is forwarded. */
  forwarding?(exchange: Parsed, state: State, phase?: Phase): Awaitable<Verdict>;
  /** A whole answer, before it goes to the client; or the headers of a stream. What is noted in `phase` is noted. */
  response?(exchange: Answered, state: State, phase?: Phase): Awaitable<Verdict>;
  /** A rewriter of a streamed answer, or undefined to leave it alone. */
  stream?(exchange: Answered, state: State): StreamRewriter | undefined;
  /** Called once for what was routed, also after a denial, a cut or a client gone. Must not throw. */
  end?(exchange: Identified, outcome: Outcome, state: State): Awaitable<void>;
}

/**
 * Rewrites a streamed answer, event by event, on decoded deltas. Rewriters run in the order of the checks, each
 * on what the one before let through. In shadow mode it is asked all the same, and what it says is only recorded.
 */
export interface StreamRewriter {
  /** False where it judges no text: then nobody need make sure that none goes by unseen. */
  readonly readsText?: false;
  /** Called with each event as the server sent it, before any rewriter has changed, held or dropped it. */
  received?(event: StreamEvent): void;
  /**
   * Absent where it lets every event pass. Synchronous wherever it can be: an answer's chunks wait for it. Not called again
   * after a cut.
   */
  event?(event: StreamEvent): Awaitable<StreamAction>;
  /** The stream has ended: held text to emit. Not called where it was cut. */
  end?(): Awaitable<StreamTail | undefined>;
  /**
   * The stream is over, by its end or by a cut of any rewriter: what a comment tells its client (SSE), without its
   * leading colon. Called once, after everything else; may wait (settlement).
   */
  comment?(): Awaitable<string | undefined>;
}

export type StreamAction =
  | { readonly kind: 'pass' }
  | { readonly kind: 'drop' }
  | StreamRewrite
  /** Ends the stream with an error frame in its dialect; nothing of this event is sent. */
  | { readonly kind: 'cut'; readonly denial: Denial };

export interface StreamRewrite {
  readonly kind: 'rewrite';
  /** Sent before this event's own frame: held frames, and copies of frames that carry held text. */
  readonly before?: readonly RewrittenFrame[];
  /**
   * Changes to this event's JSON (paths as in its deltas); none leaves its frame byte for byte. Of an event that is no
   * JSON, a `set` of the whole (path `[]`) gives the new payload, as it is.
   */
  readonly edits?: readonly JsonEdit[];
  /** The rewriter keeps this event, and gives it back in a later `before`. */
  readonly held?: true;
  /** Recorded as this check's verdict, a flag where nothing is changed; absent where text is only put off. */
  readonly reason?: string;
  /** As a denial's: awaited before the client gets the frame; not called in shadow mode. */
  readonly enforce?: () => Promise<void>;
}

export interface RewrittenFrame {
  readonly event: StreamEvent;
  readonly edits: readonly JsonEdit[];
  /** The event's own frame was sent already: this is another one of its shape. */
  readonly copy?: true;
}

export interface StreamTail {
  readonly before?: readonly RewrittenFrame[];
  readonly reason?: string;
  /** The end showed what must not pass: the stream is cut in place of ending. */
  readonly cut?: Denial;
}

export const PASS_EVENT: StreamAction = { kind: 'pass' };
