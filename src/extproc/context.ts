import type { Refusal } from '../errors.ts';
import type { Admitted, Outcome } from '../pipeline/exchange.ts';
import type { TargetWatch } from '../routes/health.ts';
import type { Place } from './places.ts';
import type { EdgePatience } from './patience.ts';
import { NO_SURFACE, type Surface } from './request/surface.ts';
import type { EdgeServices, RequestTrace } from './services.ts';
import { outcomeOf, type State } from './state.ts';
import type { HeaderList } from './wire/messages.ts';

export interface Signed {
  requestDigest?: string;
  upstreamDigest?: string;
  policySet?: string | undefined;
}

export interface StreamContext {
  readonly services: EdgeServices;
  readonly startedAt: number;
  readonly knownLosses: number;
  state: State;
  requestId: string;
  clientAddress: string;
  place: Place | undefined;
  /** Identifies the caller under overload: the raw key, or a digest of the JWT. */
  caller: string | undefined;
  surface: Surface;
  /** Headers that let a web page read the answer. Empty unless its origin is allowed. */
  crossOrigin: HeaderList;
  status: number;
  refusal: Refusal | undefined;
  /** Monotonic ms; 0 until the first bytes of a stream have been sent. */
  firstChunkAt: number;
  /** Bytes of the stream sent to Envoy; the response gate checks them. */
  emittedBytes: number;
  isLogged: boolean | undefined;
  trace: RequestTrace | undefined;
  patience: EdgePatience | undefined;
  /** Records the outcomes of an alias's targets. */
  watch: TargetWatch | undefined;
  /** Undefined without a signer, and until the whole request has arrived. */
  signed: Signed | undefined;
}

export function createContext(services: EdgeServices): StreamContext {
  return {
    services,
    startedAt: performance.now(),
    knownLosses: services.audited?.losses() ?? 0,
    state: { at: 'opened' },
    requestId: '',
    clientAddress: '',
    place: undefined,
    caller: undefined,
    surface: NO_SURFACE,
    crossOrigin: [],
    status: 0,
    refusal: undefined,
    firstChunkAt: 0,
    emittedBytes: 0,
    isLogged: undefined,
    trace: undefined,
    patience: undefined,
    watch: undefined,
    signed: undefined,
  };
}

/** Returns undefined while the key is unknown. */
export function exchangeOf({ state }: StreamContext): Admitted | undefined {
  return 'exchange' in state ? state.exchange : undefined;
}

/** Reports whether this request is logged, including by Envoy. Log lines for unauthenticated clients are limited. */
export function isLogged(context: StreamContext): boolean {
  return (context.isLogged ??=
    exchangeOf(context) !== undefined || context.services.takeAnonymousLine(context.clientAddress));
}

export function outcomeNow({ state, refusal }: StreamContext): Outcome {
  return outcomeOf(state, refusal?.type === 'upstream_timeout');
}
