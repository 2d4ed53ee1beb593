import type { Authenticate } from '../auth/authenticate.ts';
import type { GatewayError } from '../errors.ts';
import type { JsonRpcId } from '../mcp/message.ts';
import type { AnswerStream } from '../answers/answer-stream.ts';
import type { Admitted, Answered, Identified, Outcome, Parsed } from '../pipeline/exchange.ts';
import type { Usage } from '../providers/provider.ts';
import type { Run } from '../pipeline/run.ts';
import type { AuthorityPath } from '../routing/authorities.ts';
import type { Route } from '../routing/route.ts';
import type { Target } from '../routing/target.ts';
import type { EdgePatience, PatienceSettings } from './patience.ts';
import type { HeaderList } from './wire/messages.ts';
import type { Signer } from '../signing/signer.ts';
import type { RefusalSettings } from './reply/refusal-answer.ts';
import { NO_SURFACE, type Surface } from './request/surface.ts';

/** What the edge of one worker needs; built by its composition root. */
export interface EdgeServices {
  /** Key, lock and risk in one wait; throws GatewayError invalid_key, quarantined, agent_risk_blocked. */
  readonly authenticate: Authenticate;
  /** Whether a credential is a JWT for this gateway, which goes nowhere; undefined where none is looked at. */
  readonly isGatewayToken?: ((credential: string) => boolean) | undefined;
  /** Undefined where `signature.enabled` is off. */
  readonly signer?: Signer | undefined;
  readonly route: Route;
  /** Where clients ask for a provider by its host (`proxy.authorities`). */
  readonly authorityPath?: AuthorityPath | undefined;
  readonly newRun: () => Run;
  readonly settings: EdgeSettings;
  readonly observer: EdgeObserver;
  /** Whether a request whose key is not known to be good may write its line into the logs. */
  readonly takeAnonymousLine: (clientAddress: string) => boolean;
  /** `otel.enabled`. */
  readonly tracing?: EdgeTracing;
  /** `audit.required`. */
  readonly audited?: Audited;
}

/** Traces of requests, where `otel.enabled` is on. */
export interface EdgeTracing {
  /** @param headers the client's, lower-case names */
  begin(headers: HeaderList): RequestTrace;
}

/** The trace of one request; nothing of it fails or waits. */
export interface RequestTrace {
  /** What `work` does, and what that waits for, is part of the request. */
  run<T>(work: () => T): T;
  /** W3C trace context of the request, for who is asked upstream; both names stand for the client's own. */
  readonly upstreamHeaders: HeaderList;
  /** Undefined where there is nothing to tell. */
  end(finished: FinishedExchange | undefined): void;
}

/**
 * What has to be on record before anything goes on. `knownLosses` is what `losses` said when the request began: where a
 * record was lost since, it may have been of this request, which is then refused (GatewayError redis_unavailable).
 */
export interface Audited {
  losses(): number;
  /** That a request is sent upstream. */
  forwarding(exchange: Parsed, knownLosses: number): Promise<void>;
  /** What was found so far, before an answer goes to the client. */
  answer(knownLosses: number): Promise<void>;
}

export interface EdgeSettings extends RefusalSettings {
  /** `proxy.upstream_timeout`: bounds the whole of an unstreamed answer. */
  readonly upstreamTimeoutMs: number;
  /** `mcp.allowed_origins`. */
  readonly allowedOrigins: readonly string[];
  /** Where requests may wait for a person. */
  readonly patience?: PatienceSettings | undefined;
}

/** One finished exchange, for log and metrics. Holds no credential and no path. */
export interface FinishedExchange {
  readonly requestId: string;
  readonly clientAddress: string;
  /** As far as it came; absent where the request was refused before its key was known. */
  readonly exchange: Admitted | undefined;
  readonly refusal: GatewayError | undefined;
  readonly status: number;
  readonly outcome: Outcome;
  /** From request headers to the first bytes of a streamed answer; undefined where none went out. */
  readonly firstChunkMs: number | undefined;
  /** What the provider reported, where it did. */
  readonly usage: Usage | undefined;
  readonly durationMs: number;
  /** False where it is only counted. */
  readonly isLogged: boolean;
}

export interface EdgeObserver {
  finished(finished: FinishedExchange): void;
  /** Something broke that is nobody's refusal; the exchange failed closed. */
  failed(requestId: string, cause: unknown): void;
}

/** What a receipt will say, noted while the request is on its way. */
export interface Signed {
  requestDigest?: string;
  upstreamDigest?: string;
  policySet?: string | undefined;
}

/** How far one exchange has come; decides its outcome when the stream ends, whatever Envoy's event was. */
export type Progress =
  /** Nothing was forwarded yet. */
  | 'receiving'
  /** Forwarded, and no answer seen. */
  | 'forwarded'
  /** The provider's headers were seen, its buffered body not yet. */
  | 'answering'
  | 'streaming'
  /** The last reply was written. */
  | 'done';

/** Everything one ext_proc stream knows of its request. */
export interface StreamContext {
  readonly services: EdgeServices;
  readonly startedAt: number;
  /** See `Audited`; 0 where nothing has to be on record. */
  readonly knownLosses: number;
  /** Undefined where nobody traces. */
  trace: RequestTrace | undefined;
  /** Monotonic ms; 0 until the first bytes of a stream went out. */
  firstChunkAt: number;
  requestId: string;
  clientAddress: string;
  /** Decided once; see `isLogged`. */
  isLogged: boolean | undefined;
  /** Undefined where no request waits for a person. */
  patience: EdgePatience | undefined;
  /** Kept until the body was checked for it; never leaves this object. Empty where none was sent. */
  rawKey: string;
  surface: Surface;
  progress: Progress;
  /** The id of a JSON-RPC message that was refused unread; null where none could be told. */
  unreadId: JsonRpcId | null;
  /** Headers that let a web page read the answer, whatever it is; empty unless its origin is allowed. */
  crossOrigin: readonly (readonly [string, string])[];
  target: Target | undefined;
  /** A request of a good key (known, neither expired, revoked, locked nor blocked), before its address was judged. */
  admitted: Admitted | undefined;
  exchange: Identified | undefined;
  parsed: Parsed | undefined;
  answered: Answered | undefined;
  run: Run | undefined;
  /** Undefined where nothing is signed, and until the body has come. */
  signed: Signed | undefined;
  /** The provider's headers, until its buffered body has come. */
  responseHeaders: ReadonlyMap<string, string>;
  stream: AnswerStream | undefined;
  /** Bytes of the stream handed to Envoy so far; the response gate counts against it. */
  emittedBytes: number;
  status: number;
  refusal: GatewayError | undefined;
}

export function createContext(services: EdgeServices): StreamContext {
  return {
    services,
    startedAt: performance.now(),
    knownLosses: services.audited?.losses() ?? 0,
    trace: undefined,
    firstChunkAt: 0,
    requestId: '',
    clientAddress: '',
    isLogged: undefined,
    patience: undefined,
    rawKey: '',
    surface: NO_SURFACE,
    progress: 'receiving',
    unreadId: null,
    crossOrigin: [],
    target: undefined,
    admitted: undefined,
    exchange: undefined,
    parsed: undefined,
    answered: undefined,
    run: undefined,
    signed: undefined,
    responseHeaders: new Map(),
    stream: undefined,
    emittedBytes: 0,
    status: 0,
    refusal: undefined,
  };
}

/** Whether this request writes a line into the logs, Envoy's included; strangers' lines are bounded. */
export function isLogged(context: StreamContext): boolean {
  return (context.isLogged ??=
    context.admitted !== undefined || context.services.takeAnonymousLine(context.clientAddress));
}

/** The outcome of an exchange that ends now (docs/budgets.md). */
export function outcomeOf(context: StreamContext): Outcome {
  if (context.answered?.answer.complete === true) return { kind: 'complete' };
  switch (context.progress) {
    case 'receiving':
      return { kind: 'not_forwarded' };
    case 'streaming':
      return { kind: 'broken_off' };
    case 'forwarded':
    case 'answering':
      return context.refusal?.type === 'upstream_timeout'
        ? { kind: 'lost', upstreamFailed: true }
        : { kind: 'lost' };
    case 'done':
      return context.answered === undefined ? { kind: 'not_forwarded' } : doneOutcome(context.answered);
  }
}

function doneOutcome(answered: Answered): Outcome {
  if (answered.origin === 'not_connected') return { kind: 'not_forwarded', upstreamFailed: true };
  if (answered.origin === 'lost') return { kind: 'lost', upstreamFailed: true };
  return answered.form === 'stream' ? { kind: 'broken_off' } : { kind: 'complete' };
}
