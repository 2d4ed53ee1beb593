import type { Authenticate } from '../auth/authenticate.ts';
import type { Refusal } from '../errors.ts';
import type { Admitted, Outcome, Parsed } from '../pipeline/exchange.ts';
import type { Run } from '../pipeline/run.ts';
import type { Usage } from '../providers/provider.ts';
import type { AuthorityPath } from '../routing/authorities.ts';
import type { Route } from '../routing/route.ts';
import type { Signer } from '../signing/signer.ts';
import type { PatienceSettings } from './patience.ts';
import type { Places } from './places.ts';
import type { RefusalSettings } from './reply/refusal-answer.ts';
import type { HeaderList } from './wire/messages.ts';

/** What the edge of one worker needs; built by its composition root. */
export interface EdgeServices {
  /** Key, lock and risk in one wait; throws GatewayError invalid_key, quarantined, agent_risk_blocked. */
  readonly authenticate: Authenticate;
  /** Whether one of these is a proxy key, good or not; throws GatewayError redis_unavailable. */
  readonly knowsAnyKey: (rawKeys: readonly string[]) => Promise<boolean>;
  /** Whether a credential is a JWT for this gateway, which goes nowhere; undefined where none is looked at. */
  readonly isGatewayToken?: ((credential: string) => boolean) | undefined;
  /** Undefined where `signature.enabled` is off. */
  readonly signer?: Signer | undefined;
  /** Bounds of the requests that are open at once. */
  readonly places: Places;
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
  readonly refusal: Refusal | undefined;
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
