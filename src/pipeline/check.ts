import type { ErrorType } from '../errors.ts';
import type { StreamEvent } from '../providers/provider.ts';
import type { Answered, Identified, Outcome, Parsed } from './exchange.ts';

/** Stable names: metric labels and log fields. */
export type CheckName =
  'rate-limit' | 'allowed' | 'provider-tools' | 'normalization' | 'session' | 'loop' | 'drift' | 'budget';

/** What a check says of an exchange. Only the runner acts on it. */
export type Verdict =
  | { readonly kind: 'pass' }
  /** Noteworthy, not refused: shown in log, metric and audit. */
  | { readonly kind: 'flag'; readonly reason: string }
  | Denial;

export interface Denial {
  readonly kind: 'deny';
  readonly type: ErrorType;
  /** Short and human-readable; safe to show. */
  readonly message: string;
  /** Extra headers of the refusal, e.g. `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export const PASS: Verdict = { kind: 'pass' };

type Awaitable<T> = T | Promise<T>;

/**
 * A check judges and returns a verdict; it changes a request by appending to `exchange.edits` and an answer's
 * headers through `exchange.responseHeaders`. State of one exchange is what `begin` returns, so that a check
 * object itself is shared by all requests.
 */
export interface Check<State = unknown> {
  readonly name: CheckName;
  /** True where `server.shadow_mode` turns its denials into records (DECISIONS "Shadow mode"). */
  readonly shadowable: boolean;
  /** Called once per exchange, before the first hook. */
  begin?(): State;
  requestHeaders?(exchange: Identified, state: State): Awaitable<Verdict>;
  /**
   * Called for all checks, in order, before the first of them judges the body: sends reads to Redis so that all
   * wait once. Changes nothing, must not throw, and handles the rejection of what it starts.
   */
  prepare?(exchange: Parsed, state: State): void;
  requestBody?(exchange: Parsed, state: State): Awaitable<Verdict>;
  /** A whole answer, before it goes to the client; or the headers of a stream. */
  response?(exchange: Answered, state: State): Awaitable<Verdict>;
  /** A rewriter of a streamed answer, or undefined to leave it alone. */
  stream?(exchange: Answered, state: State): StreamRewriter | undefined;
  /** Always called once, also after a denial, a cut or a client gone. Must not throw. */
  end?(exchange: Identified, outcome: Outcome, state: State): Awaitable<void>;
}

/**
 * Rewrites a streamed answer, event by event, on decoded deltas. Rewriters run in the order of the checks, each
 * on what the one before let through.
 */
export interface StreamRewriter {
  /** Must be synchronous: an answer's chunks may not wait. */
  event(event: StreamEvent): StreamAction;
  /** The stream has ended: held text to emit, or a closing comment. May wait (settlement). */
  end?(): Awaitable<StreamTail | undefined>;
}

export type StreamAction =
  | { readonly kind: 'pass' }
  | { readonly kind: 'drop' }
  /** New texts of some deltas (same order and number as `event.deltas`, undefined leaves one as it is). */
  | { readonly kind: 'rewrite'; readonly texts: readonly (string | undefined)[] };

export interface StreamTail {
  /** A comment for formats that have them (SSE), without its leading colon. */
  readonly comment?: string;
}

export const PASS_EVENT: StreamAction = { kind: 'pass' };
