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

export interface EdgeServices {
  readonly authenticate: Authenticate;
  /** Reports whether any of these is a stored proxy key, valid or not. Throws GatewayError redis_unavailable. */
  readonly knowsAnyKey: (rawKeys: readonly string[]) => Promise<boolean>;
  /** Reports whether a credential is a JWT for this gateway, which is never forwarded. Absent if JWTs are off. */
  readonly isGatewayToken?: ((credential: string) => boolean) | undefined;
  /** Set if `signature.enabled`. */
  readonly signer?: Signer | undefined;
  readonly providerCredentials: Pick<ProviderCredentials, 'choose' | 'answered'>;
  readonly places: Places;
  readonly admission: Admission;
  readonly route: Route;
  /** Absent without `models`. */
  readonly aliases?: Aliases | undefined;
  /** Maps provider hosts to paths (`proxy.authorities`). */
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
  /** @param headers of the client's request, with names in lower case */
  begin(headers: HeaderList): RequestTrace;
}

export interface UpstreamCall {
  readonly provider?: string | undefined;
  readonly mcpServer?: string | undefined;
  readonly host: string;
}

/** Never fails or waits. */
export interface RequestTrace {
  /** Runs `work`, and everything that it awaits, as part of the request. */
  run<T>(work: () => T): T;
  readonly isRecorded: boolean;
  /** 32 hex digits; undefined if the request is not sampled. */
  readonly traceId: string | undefined;
  /** The client's `tracestate`, sent upstream. */
  readonly traceState: string | undefined;
  /** Starts the upstream wait. Returns the W3C trace context for it, which replaces the client's headers. */
  forward(call: UpstreamCall): HeaderList;
  /** Called when answer headers have arrived, from the upstream or from Envoy in its place. */
  answering(status: number): void;
  /** Called when the wait for the upstream ends. */
  answered(): void;
  /** Ends the trace. `finished` is undefined if there is nothing to report. */
  end(finished: FinishedExchange | undefined): void;
}

/**
 * Waits for audit records that must be written before a request proceeds. If a record was lost since the request began
 * (when `losses()` was `knownLosses`), it may belong to the request, which is then refused with GatewayError
 * redis_unavailable.
 */
export interface Audited {
  losses(): number;
  /** Waits until forwarding is recorded. */
  forwarding(exchange: Parsed, knownLosses: number): Promise<void>;
  /** Waits until the answer's findings are recorded. */
  answer(knownLosses: number): Promise<void>;
}

export interface EdgeSettings extends RefusalSettings {
  /** `proxy.upstream_timeout`: time limit for a complete unstreamed answer, per target. */
  readonly upstreamTimeoutMs: number;
  /** `mcp.allowed_origins`. */
  readonly allowedOrigins: readonly string[];
  /** Set if requests may wait for approvals. */
  readonly patience?: PatienceSettings | undefined;
}

export interface SelfDescription extends AnswerIdentity {
  readonly model: string | undefined;
}

/** A finished exchange. Log and metrics must not show its credentials or its path. */
export interface FinishedExchange {
  readonly requestId: string;
  readonly clientAddress: string;
  /** Last stage reached; undefined if the key never became known. */
  readonly exchange: Admitted | undefined;
  readonly refusal: Refusal | undefined;
  readonly status: number;
  readonly outcome: Outcome;
  /** Time from request headers to the first streamed bytes; undefined if there were none. */
  readonly firstChunkMs: number | undefined;
  readonly usage: Usage | undefined;
  readonly identity: SelfDescription | undefined;
  readonly durationMs: number;
  readonly isLogged: boolean;
  readonly traceId: string | undefined;
}

export interface EdgeObserver {
  finished(finished: FinishedExchange): void;
  /** Called for unexpected failures; the exchange failed closed. */
  failed(requestId: string, cause: unknown): void;
}
