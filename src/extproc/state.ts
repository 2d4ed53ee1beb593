import type { AnswerStream } from '../answers/answer-stream.ts';
import type { JsonRpcId } from '../mcp/message.ts';
import type { Admitted, Answered, Identified, Outcome, Parsed } from '../pipeline/exchange.ts';
import type { Run } from '../pipeline/run.ts';
import type { Target } from '../routing/target.ts';

/**
 * How far one exchange has come; each state has what is known there, and a phase of Envoy's leads from one to the next.
 *
 * ```
 * opened -> received -> admitted -> identified -> parsed -> forwarded -> answering -> answered     a whole answer
 *                  \-> replied (without a key)                     \           \-> opening -> streaming -> streamed
 *                                                                   \-> answered (by Envoy, in the upstream's place)
 * ```
 */
export type State =
  /** No message has come. */
  | { readonly at: 'opened' }
  /** The request's headers are here; whose they are is not known. */
  | { readonly at: 'received' }
  /** Answered by us to whoever asks; nothing is forwarded. */
  | { readonly at: 'replied' }
  /** Of a good key (known, neither expired, revoked, locked nor blocked), before its address was judged. */
  | { readonly at: 'admitted'; readonly exchange: Admitted }
  | IdentifiedState
  /** The body was read; the checks judge it. */
  | ParsedState<'parsed'>
  /** Sent upstream, and no answer seen. */
  | ParsedState<'forwarded'>
  /** The answer's headers were seen, its buffered body not yet. */
  | AnsweredState<'answering'>
  /** The headers of a stream are judged. */
  | AnsweredState<'opening'>
  | StreamState<'streaming'>
  /** The last of a stream was written, by its end or by a cut. */
  | StreamState<'streamed'>
  /** The last reply was written: a whole answer, or Envoy's own in the upstream's place. */
  | AnsweredState<'answered'>;

/** The state of this name, or of one of these. */
export type At<Name extends State['at']> = Extract<State, { readonly at: Name }>;

/** What was sent upstream, whatever has become of it since. */
export type SentState = At<'forwarded' | 'answering' | 'opening' | 'streaming' | 'streamed' | 'answered'>;

/** Its address leads somewhere: the checks' `end` is owed from here on. */
interface IdentifiedState {
  readonly at: 'identified';
  readonly exchange: Identified;
  readonly run: Run;
  readonly target: Target;
  /** Kept until the body was checked for it; never leaves this object. Empty where none was sent. */
  readonly rawKey: string;
  /** The id of a JSON-RPC message that was refused unread; null where none could be told. */
  readonly unreadId: JsonRpcId | null;
}

interface ParsedState<Name extends string> {
  readonly at: Name;
  readonly exchange: Parsed;
  readonly run: Run;
  readonly target: Target;
}

interface AnsweredState<Name extends string> {
  readonly at: Name;
  readonly exchange: Answered;
  /** The same without its answer: Envoy may put its own in the place of one that breaks off. */
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

/** The request as it was sent. */
export function parsedOf(state: SentState): Parsed {
  return state.at === 'forwarded' ? state.exchange : state.parsed;
}

/** What was to be forwarded was not: Envoy never got the verdict, and nothing is charged. */
export function takenBack(state: At<'forwarded'>): At<'parsed'> {
  return { ...state, at: 'parsed' };
}

/**
 * The outcome of an exchange that ends in this state, whatever Envoy's event was (docs/budgets.md).
 * @param timedOut the provider was given up
 */
export function outcomeOf(state: State, timedOut: boolean): Outcome {
  if (wasSent(state) && state.at !== 'forwarded' && state.exchange.answer.complete)
    return { kind: 'complete' };
  switch (state.at) {
    case 'opened':
    case 'received':
    case 'replied':
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
