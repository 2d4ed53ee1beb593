import type { AnswerStream } from '../answers/answer-stream.ts';
import type { GatewayError } from '../errors.ts';
import type { JsonRpcId } from '../mcp/message.ts';
import type { Admitted, Answered, Identified, Outcome, Parsed } from '../pipeline/exchange.ts';
import type { Run } from '../pipeline/run.ts';
import type { Fallback } from '../routes/aliases.ts';
import type { Target } from '../routing/target.ts';

/**
 * Progress of one exchange. Each state contains what is known at that point; Envoy's phases cause the transitions.
 *
 * ```
 * opened -> received -> admitted -> identified -> parsed -> forwarded -> answering -> answered     a whole answer
 *                  \-> replied           \-> listed                   \           \-> opening -> streaming -> streamed
 *                      (without a key)       (by the gateway)          \-> answered (by Envoy, in the upstream's place)
 * ```
 */
export type State =
  | { readonly at: 'opened' }
  /** The key is not checked yet. */
  | { readonly at: 'received' }
  /** Answered by the gateway without a key; nothing was forwarded. */
  | { readonly at: 'replied' }
  /** A model list or a single model, answered by the gateway. Nothing was forwarded. */
  | { readonly at: 'listed'; readonly exchange: Identified; readonly run: Run }
  /** The key is valid; the route is not known yet. */
  | { readonly at: 'admitted'; readonly exchange: Admitted }
  | IdentifiedState
  | ParsedState<'parsed'>
  | ParsedState<'forwarded'>
  /** The answer headers have arrived, but not the buffered body. */
  | AnsweredState<'answering'>
  | AnsweredState<'opening'>
  | StreamState<'streaming'>
  /** The last bytes of the stream have been written, at its end or after a cut. */
  | StreamState<'streamed'>
  /** The outcome is settled: a whole answer, or a local reply because the upstream gave none. */
  | AnsweredState<'answered'>;

export type At<Name extends State['at']> = Extract<State, { readonly at: Name }>;

export type SentState = At<'forwarded' | 'answering' | 'opening' | 'streaming' | 'streamed' | 'answered'>;

/** The route is valid. From now on, the checks' `end` hooks must run. */
interface IdentifiedState {
  readonly at: 'identified';
  readonly exchange: Identified;
  readonly run: Run;
  readonly target: Target;
  /** Empty if no key was sent. Kept so that the key can be found in the body. */
  readonly rawKey: string;
  /**
   * Why the provider cannot be called. Thrown unless the body refers to an alias, or the gateway answers a model list
   * itself.
   */
  readonly ownRefusal: GatewayError | undefined;
  /** Id of a JSON-RPC message that could not be parsed; null if unknown. */
  readonly unreadId: JsonRpcId | null;
}

interface ParsedState<Name extends string> {
  readonly at: Name;
  readonly exchange: Parsed;
  readonly run: Run;
  readonly target: Target;
  readonly fallbacks?: readonly Fallback[];
  /** One attempt per target, in order, if there are several targets. */
  readonly attempts?: readonly Attempt[];
}

export interface Attempt {
  readonly exchange: Parsed;
  readonly upstreamDigest: string | undefined;
}

interface AnsweredState<Name extends string> {
  readonly at: Name;
  readonly exchange: Answered;
  /** The request without its answer, kept because Envoy may replace a broken answer. */
  readonly parsed: Parsed;
  readonly run: Run;
}

interface StreamState<Name extends string> extends AnsweredState<Name> {
  readonly stream: AnswerStream;
}

export function wasSent(state: State): state is SentState {
  switch (state.at) {
    case 'forwarded':
    case 'answering':
    case 'opening':
    case 'streaming':
    case 'streamed':
    case 'answered':
      return true;
    default:
      return false;
  }
}

export function parsedOf(state: SentState): Parsed {
  return state.at === 'forwarded' ? state.exchange : state.parsed;
}

/** Returns the state of a request that Envoy did not forward, because it got no verdict. Nothing is charged. */
export function undone(state: At<'forwarded'>): At<'parsed'> {
  return { ...state, at: 'parsed' };
}

/**
 * Returns how the exchange ended, which decides the charge (docs/budgets.md). `timedOut` means that the provider
 * exceeded its time limit.
 */
export function outcomeOf(state: State, timedOut: boolean): Outcome {
  if (wasSent(state) && state.at !== 'forwarded' && state.exchange.answer.complete)
    return { kind: 'complete' };
  switch (state.at) {
    case 'opened':
    case 'received':
    case 'replied':
    case 'listed':
    case 'admitted':
    case 'identified':
    case 'parsed':
      return { kind: 'not_forwarded' };
    case 'forwarded':
    case 'answering':
      return timedOut ? { kind: 'lost', upstreamFailed: true } : { kind: 'lost' };
    case 'opening':
    case 'streaming':
    case 'streamed':
      return { kind: 'broken_off' };
    case 'answered':
      return answeredOutcome(state.exchange);
  }
}

function answeredOutcome({ origin }: Answered): Outcome {
  if (origin === 'not_connected') return { kind: 'not_forwarded', upstreamFailed: true };
  if (origin === 'lost') return { kind: 'lost', upstreamFailed: true };
  return { kind: 'complete' };
}
