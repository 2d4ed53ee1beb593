import type { Authenticate } from '../auth/authenticate.ts';
import type { Refusal } from '../errors.ts';
import type { Admitted, Outcome, Parsed } from '../pipeline/exchange.ts';
import type { Run } from '../pipeline/run.ts';
import type { ProviderCredentials } from '../provider-credentials/choose.ts';
import type { Usage } from '../providers/dialect.ts';
import type { AnswerIdentity } from '../providers/answer-identity.ts';
import type { AuthorityPath } from '../routing/authorities.ts';
import type { Aliases } from '../routes/aliases.ts';
import type { Route } from '../routing/route.ts';
import type { Signer } from '../signing/signer.ts';
import type { PatienceSettings } from './patience.ts';
import type { Admission } from './admission/admission.ts';
import type { Places } from './places.ts';
import type { RefusalSettings } from './reply/refusal-answer.ts';
import type { HeaderList } from './wire/messages.ts';

/** Services for the edge of one worker. */
export interface EdgeServices {
  readonly authenticate: Authenticate;
  /** Reports whether one of these is a recorded proxy key, valid or not; throws GatewayError redis_unavailable. */
  readonly knowsAnyKey: (rawKeys: readonly string[]) => Promise<boolean>;
  /** Reports whether a credential is a JWT for this gateway, which is never forwarded; undefined without JWTs. */
  readonly isGatewayToken?: ((credential: string) => boolean) | undefined;
  /** Set if `signature.enabled`. */
  readonly signer?: Signer | undefined;
  readonly providerCredentials: Pick<ProviderCredentials, 'choose' | 'answered'>;
  readonly places: Places;
  readonly admission: Admission;
  readonly route: Route;
  /** Undefined without `models`. */
  readonly aliases?: Aliases | undefined;
  /** Resolves hosts of providers (`proxy.authorities`). */
  readonly authorityPath?: AuthorityPath | undefined;
  readonly newRun: () => Run;
  readonly settings: EdgeSettings;
  readonly observer: EdgeObserver;
  /** Reports whether an unauthenticated request may be logged. */
  readonly takeAnonymousLine: (clientAddress: string) => boolean;
  /** `otel.enabled`. */
  readonly tracing?: EdgeTracing;
  /** `audit.required`. */
  readonly audited?: Audited;
}

export interface EdgeTracing {
  /** @param headers the client's, lower-case names */
  begin(headers: HeaderList): RequestTrace;
}

export interface UpstreamCall {
  readonly provider?: string | undefined;
  readonly mcpServer?: string | undefined;
  readonly host: string;
}

/** The trace of one request; never fails or waits. */
export interface RequestTrace {
  /** Runs `work`, and everything it awaits, as part of the request. */
  run<T>(work: () => T): T;
  readonly isRecorded: boolean;
  /** 32 hex digits; undefined if it is not sampled. */
  readonly traceId: string | undefined;
  /** The client's `tracestate`, which goes upstream. */
  readonly traceState: string | undefined;
  /** Starts the upstream wait. Returns the W3C trace context for it, which replaces the client's headers. */
  forward(call: UpstreamCall): HeaderList;
  /** Notes that answer headers have arrived, from the upstream or from Envoy in its place. */
  answering(status: number): void;
  /** Ends the wait for the upstream. */
  answered(): void;
  /** Undefined if there is nothing to report. */
  end(finished: FinishedExchange | undefined): void;
}

/**
 * Audit records that must be written before a request proceeds. If a record was lost since the request began (when
 * `losses` was `knownLosses`), it may be the request's own, so the request is refused: GatewayError redis_unavailable.
 */
export interface Audited {
  losses(): number;
  /** Waits for the record of forwarding. */
  forwarding(exchange: Parsed, knownLosses: number): Promise<void>;
  /** Waits for the records of findings. */
  answer(knownLosses: number): Promise<void>;
}

export interface EdgeSettings extends RefusalSettings {
  /** `proxy.upstream_timeout`, for an unstreamed answer as a whole. */
  readonly upstreamTimeoutMs: number;
  /** `mcp.allowed_origins`. */
  readonly allowedOrigins: readonly string[];
  /** Set if requests may wait for approvals. */
  readonly patience?: PatienceSettings | undefined;
}

export interface SelfDescription extends AnswerIdentity {
  readonly model: string | undefined;
}

/** A finished exchange, for log and metrics. Contains no credential and no path. */
export interface FinishedExchange {
  readonly requestId: string;
  readonly clientAddress: string;
  /** The last stage reached; absent if the request was refused before its key was known. */
  readonly exchange: Admitted | undefined;
  readonly refusal: Refusal | undefined;
  readonly status: number;
  readonly outcome: Outcome;
  /** From request headers to the first streamed bytes; undefined without any. */
  readonly firstChunkMs: number | undefined;
  readonly usage: Usage | undefined;
  readonly identity: SelfDescription | undefined;
  readonly durationMs: number;
  readonly isLogged: boolean;
  readonly traceId: string | undefined;
}

export interface EdgeObserver {
  finished(finished: FinishedExchange): void;
  /** For unexpected failures; the exchange failed closed. */
  failed(requestId: string, cause: unknown): void;
}
