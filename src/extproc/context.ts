import type { Refusal } from '../errors.ts';
import type { Admitted, Outcome } from '../pipeline/exchange.ts';
import type { Place } from './places.ts';
import type { EdgePatience } from './patience.ts';
import { NO_SURFACE, type Surface } from './request/surface.ts';
import type { EdgeServices, RequestTrace } from './services.ts';
import { outcomeOf, type State } from './state.ts';
import type { HeaderList } from './wire/messages.ts';

/** What a receipt will say, noted while the request is on its way. */
export interface Signed {
  requestDigest?: string;
  upstreamDigest?: string;
  policySet?: string | undefined;
}

/** Everything one ext_proc stream knows of its request: how far it has come, and who asks. */
export interface StreamContext {
  readonly services: EdgeServices;
  readonly startedAt: number;
  /** See `Audited`; 0 where nothing has to be on record. */
  readonly knownLosses: number;
  state: State;
  requestId: string;
  clientAddress: string;
  /** Undefined until the request's headers come. */
  place: Place | undefined;
  surface: Surface;
  /** Headers that let a web page read the answer, whatever it is; empty unless its origin is allowed. */
  crossOrigin: HeaderList;
  /** Of the answer, as its client gets it. */
  status: number;
  /** What was refused, or cut; undefined while nothing was. */
  refusal: Refusal | undefined;
  /** Monotonic ms; 0 until the first bytes of a stream went out. */
  firstChunkAt: number;
  /** Bytes of the stream handed to Envoy so far; the response gate counts against it. */
  emittedBytes: number;
  /** Decided once; see `isLogged`. */
  isLogged: boolean | undefined;
  /** Undefined where nobody traces. */
  trace: RequestTrace | undefined;
  /** Undefined where no request waits for a person. */
  patience: EdgePatience | undefined;
  /** Undefined where nothing is signed, and until the body has come. */
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
    surface: NO_SURFACE,
    crossOrigin: [],
    status: 0,
    refusal: undefined,
    firstChunkAt: 0,
    emittedBytes: 0,
    isLogged: undefined,
    trace: undefined,
    patience: undefined,
    signed: undefined,
  };
}

/** What is known of the request so far; undefined where its key is not. */
export function exchangeOf({ state }: StreamContext): Admitted | undefined {
  return 'exchange' in state ? state.exchange : undefined;
}

/** Whether this request writes a line into the logs, Envoy's included; strangers' lines are bounded. */
export function isLogged(context: StreamContext): boolean {
  return (context.isLogged ??=
    exchangeOf(context) !== undefined || context.services.takeAnonymousLine(context.clientAddress));
}

/** The outcome of an exchange that ends now. */
export function outcomeNow({ state, refusal }: StreamContext): Outcome {
  return outcomeOf(state, refusal?.type === 'upstream_timeout');
}
