import type { BudgetLimits } from '../budget-windows.ts';
import type { KeyRecord } from '../auth/key-record.ts';
import type { JsonEdit } from '../json/path.ts';
import type { AnswerFacts, AnswerText, Endpoint, Usage } from '../providers/dialect.ts';
import type { JsonObject } from '../json/is-object.ts';
import type { RequestFacts } from '../providers/request-facts.ts';
import type { Provider, ProviderName } from '../providers/registry.ts';
import type { BillingReader } from '../providers/billing-details.ts';
import type { IdentityReader } from '../providers/answer-identity.ts';
import type { McpTarget } from '../mcp/message.ts';
import type { Facts } from './facts.ts';

/**
 * A request in the gateway. Each stage extends the previous type: `Admitted -> Identified -> Parsed -> Answered`. A
 * stage fails by throwing `GatewayError`.
 */
export interface Admitted {
  /** Random UUID from Envoy; the same in logs, headers and Envoy's local replies. */
  readonly requestId: string;
  /** Arrival of the request headers, in monotonic milliseconds (`performance.now()`). */
  readonly startedAt: number;
  readonly method: string;
  /** Without port; the address of a proxy if `auth.trusted_hops` does not cover all proxies. */
  readonly clientAddress: string;
  /** Names are in lower case; repeated headers are joined by `, `. */
  readonly headers: ReadonlyMap<string, string>;
  readonly key: KeyRecord;
  /** SHA-256 of the raw key, `sha256:<hex>`. A rotated key has several raw keys. Undefined if only a JWT was sent. */
  readonly rawKeyHash: string | undefined;
  /** Expiry of the bearer's JWT in Unix ms, including the leeway; absent if there is no JWT. */
  readonly tokenEndsAt?: number;
  /** Claims of the bearer's JWT that shared budgets match on; an array claim has several values. */
  readonly claims?: Readonly<Record<string, readonly string[]>>;
  /** Shared by all copies of a request, such as those for its targets. */
  readonly budget: CurrentBudget;
  readonly facts: Facts;
  readonly patience?: Patience | undefined;
  readonly responseHeaders: Map<string, string>;
}

/** A request with a valid key and a known route. */
export interface Identified extends Admitted {
  /** The path for checks and policies: a provider's path without its base path, or `/mcp/<server>…`. */
  readonly path: string;
  /** The query to send, with its `?` and without credentials. Empty if there is none. */
  readonly query: string;
  readonly provider: Provider;
  readonly endpoint: Endpoint;
  /** The client's `tracestate`, if the gateway continues the trace. The only trace header with free text. */
  readonly traceState?: string;
  /** Set for calls to an MCP server; nothing is then sent to `provider`. */
  readonly mcp?: McpTarget;
  /** The real provider key; undefined if none is needed. Never logged, stored or echoed. */
  readonly providerKey: string | undefined;
  /** Name of the gateway's credential in `providerKey`; absent for a client's own key. */
  readonly heldCredential?: string;
}

/** The key's budget, read together with its record, and again after an approval. */
export interface CurrentBudget {
  limits: KeyBudgets;
}

/** The limits of a key, and the shared budgets in Redis, some of which may not match the request. */
export interface KeyBudgets extends BudgetLimits {
  readonly shared?: readonly StoredBudget[];
}

/** A budget shared by several keys, as stored by `gateway budget set`. */
export interface StoredBudget {
  readonly name: string;
  readonly match: BudgetMatch;
  readonly limits: BudgetLimits;
}

/** Conditions of a shared budget, all of which must be met (`budgets[].match`). Names are globs. */
export interface BudgetMatch {
  readonly owners?: readonly string[] | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly claims?: Readonly<Record<string, string>> | undefined;
  readonly providers?: readonly ProviderName[] | undefined;
  readonly models?: readonly string[] | undefined;
  readonly mcp_servers?: readonly string[] | undefined;
}

export interface Parsed extends Identified {
  /** The client's body and its JSON. Emptied once forwarded, because a stream may run for hours. */
  body: Buffer;
  json: JsonObject;
  readonly request: RequestFacts;
  /** Changes to the body, applied once, in order, before it is sent. Stages and checks append. */
  readonly edits: JsonEdit[];
  /** Name in `models` that the client used. */
  readonly alias?: string;
  /** Copies of the request for further targets of the alias, in order. Checks remove targets that must not be tried. */
  fallbacks?: readonly Parsed[];
  /** Edits for this target only; `edits` apply to all targets. */
  readonly ownEdits?: JsonEdit[];
  /** Maximum wait for the start of this target's answer; 0 if it has no separate limit. */
  readonly answerWithinMs?: number;
  /** Whether this target may be tried after one that may have processed the request. */
  readonly followsUncertain?: boolean;
  /** Earlier targets that may also have processed the request. */
  readonly alsoAsked?: readonly Parsed[];
  withheldHeaders?: ReadonlySet<string>;
}

export type AnswerOrigin =
  | 'provider'
  /** Envoy answered. The provider was never reached, and cannot have billed anything. */
  | 'not_connected'
  /** Envoy answered. The request was sent, but its answer was lost (reset, timeout). */
  | 'lost';

export interface Answered extends Parsed {
  readonly origin: AnswerOrigin;
  readonly status: number;
  /** Names are in lower case; repeated headers are joined by `, `. */
  readonly answerHeaders: ReadonlyMap<string, string>;
  readonly form: 'whole' | 'stream';
  readonly answer: Answer;
}

/** The answer so far; grows while a stream runs. */
export interface Answer {
  /** Undefined for streams and for answers without a body. */
  readonly whole: WholeAnswer | undefined;
  /** Undefined while a stream runs, and for bodies that are not the dialect's JSON. */
  facts: AnswerFacts | undefined;
  usage: Usage | undefined;
  /** Whether the stream contained more text after its last usage report. */
  wroteSinceUsage: boolean;
  readonly billing: BillingReader;
  readonly identity: IdentityReader | undefined;
  /** Model text, counted if usage is missing. Bounded (`answers/new-answer.ts`). */
  readonly written: WrittenText;
  /** Whether a whole body, or a stream's own end marker, was seen. */
  complete: boolean;
}

export interface WholeAnswer {
  /** After content decoding. */
  readonly body: Buffer;
  readonly contentType: string | undefined;
  /** Undefined unless all parsers agree on the body: UTF-8, unique names, limited depth and size. */
  readonly json: unknown;
  /** Changes to the JSON, applied once, in order, before it is sent. Checks append. */
  readonly edits: JsonEdit[];
  replacement: Buffer | undefined;
  /** All texts of the JSON before any edit, if the DLP check has scanned them and found nothing. */
  searched?: readonly string[] | undefined;
}

export interface WrittenText {
  add(kind: AnswerText['kind'], text: string): void;
  readonly text: string;
  /** Number of UTF-8 bytes beyond the limit on kept text, used to overestimate usage. */
  readonly beyondBytes: number;
  readonly sawReasoning: boolean;
}

/** How an exchange ended. The edge derives it from its own state, never from a transport event alone. */
export type Outcome =
  /** Denied, client disconnected, Redis failed, or upstream unreachable before anything was sent. */
  | { readonly kind: 'not_forwarded'; readonly upstreamFailed?: true }
  | { readonly kind: 'complete' }
  /** A stream was cut off by the client, the provider or a check. */
  | { readonly kind: 'broken_off' }
  /** Sent upstream, but no answer was seen. Without `upstreamFailed`, the client may have disconnected. */
  | { readonly kind: 'lost'; readonly upstreamFailed?: true };

/**
 * Reports whether the status is 2xx. Answers with other statuses cost nothing, unless the provider bills errors
 * (`isBilledError`).
 */
export function isSuccess({ status }: Pick<Answered, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/** Same as `isSuccess`, but false for answers from the gateway or Envoy. */
export function isSuccessOfServer(exchange: Pick<Answered, 'origin' | 'status'>): boolean {
  return exchange.origin === 'provider' && isSuccess(exchange);
}

/** Lets a check wait for an approval. Envoy's timeout is extended, and the client may disconnect in the meantime. */
export interface Patience {
  begin(): Wait;
}

export interface Wait {
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
  /** Deadline in monotonic milliseconds (`performance.now()`). */
  readonly until: number;
}
