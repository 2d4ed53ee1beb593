import type { KeyRecord } from '../auth/key-record.ts';
import type { JsonEdit } from '../json/path.ts';
import type {
  AnswerFacts,
  AnswerText,
  Endpoint,
  JsonObject,
  Provider,
  RequestFacts,
  Usage,
} from '../providers/provider.ts';
import type { BillingReader } from '../providers/billing-details.ts';
import type { IdentityReader } from '../providers/told-identity.ts';
import type { McpTarget } from '../mcp/message.ts';
import type { Facts } from './facts.ts';
import type { Patience } from './patience.ts';

/**
 * One request on its way through the gateway. A stage adds knowledge, so that each type extends the one before:
 * `Admitted -> Identified -> Parsed -> Answered`. A stage fails by throwing `GatewayError`.
 */
export interface Admitted {
  /** Random UUID made by Envoy; the same in logs, headers and Envoy's own replies. */
  readonly requestId: string;
  /** Monotonic milliseconds (`performance.now()`) at which the request headers came. */
  readonly startedAt: number;
  readonly method: string;
  /** Client's address without its port, as far as `auth.trusted_hops` lets it be known. */
  readonly clientAddress: string;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: ReadonlyMap<string, string>;
  readonly key: KeyRecord;
  /**
   * SHA-256 of the raw key that was sent, `sha256:<hex>`: a rotated key has several, and each ends by itself. Undefined
   * where none was sent, and a JWT named the key.
   */
  readonly rawKeyHash: string | undefined;
  /** Unix ms at which the bearer's JWT ends; absent where none was asked for. */
  readonly tokenEndsAt?: number;
  /**
   * What Redis said of this key at the request headers, in the same wait as the key record; or when it was judged again,
   * after an approval.
   */
  budgetLimits: BudgetLimits;
  readonly facts: Facts;
  /** Given where a request may wait for a person. */
  readonly patience?: Patience | undefined;
  /** Response headers that checks ask for; written into the answer, or into the denial. */
  readonly responseHeaders: Map<string, string>;
}

/** A request of a good key whose address leads somewhere. */
export interface Identified extends Admitted {
  /** The provider's own path as it will be sent, without the key segment, provider segment and query. */
  readonly path: string;
  /** The query as it will be sent, with its `?`, credentials removed; empty where there is none. */
  readonly query: string;
  readonly provider: Provider;
  readonly endpoint: Endpoint;
  /** The client's `tracestate`, where the gateway continues its trace: the only header of a trace with words in it. */
  readonly traceState?: string;
  /** Set where an MCP server is called: `provider` is then the key's own, and nothing goes to it. */
  readonly mcp?: McpTarget;
  /** The real provider key; undefined where the provider needs none. Never logged, stored or echoed. */
  readonly providerKey: string | undefined;
}

/** USD limits in nano-USD by window; undefined is no limit, 0 is blocked. */
export interface BudgetLimits {
  readonly minute?: number;
  readonly hourly?: number;
  readonly daily?: number;
  readonly weekly?: number;
  readonly monthly?: number;
}

export interface Parsed extends Identified {
  /** The client's bytes, and what they say; emptied once forwarded, since a stream may run for hours. */
  body: Buffer;
  json: JsonObject;
  readonly request: RequestFacts;
  /** Changes to the body, applied once, in order, before it is sent. Stages and checks append. */
  readonly edits: JsonEdit[];
  /** Client headers that are not sent although they may be, since a check has found something in them. */
  withheldHeaders?: ReadonlySet<string>;
}

/** What Envoy said of where an answer came from, at response headers. */
export type AnswerOrigin =
  /** The provider answered. */
  | 'provider'
  /** Envoy answered: the provider was never reached, so nothing can have been billed. */
  | 'not_connected'
  /** Envoy answered: the request was sent and its answer lost (reset, timeout). */
  | 'lost';

export interface Answered extends Parsed {
  readonly origin: AnswerOrigin;
  readonly status: number;
  /** As they came; lower-case names, repeated headers joined by `, `. */
  readonly answerHeaders: ReadonlyMap<string, string>;
  /** How the body comes. */
  readonly form: 'whole' | 'stream';
  readonly answer: Answer;
}

/** The answer as known so far; grows while a stream runs. */
export interface Answer {
  /** The bytes of a whole answer; undefined for a stream, and where no body came. */
  readonly whole: WholeAnswer | undefined;
  /** Undefined while a stream runs, and where the body is not the dialect's JSON. */
  facts: AnswerFacts | undefined;
  /** Usage of a whole answer, or the running usage of a stream. */
  usage: Usage | undefined;
  /** A stream went on writing after the usage that it told last, which leaves that text out. */
  wroteSinceUsage: boolean;
  /** What it says of how it was billed, beside its usage. */
  readonly billing: BillingReader;
  /** Undefined unless the request is traced. */
  readonly identity: IdentityReader | undefined;
  /** Text the model wrote, for counting where usage is missing; bounded, see `answers/new-answer.ts`. */
  readonly written: WrittenText;
  /** The stream's own end marker, or the end of a whole body, was seen. */
  complete: boolean;
}

/** A whole answer's body, and what checks make of it. */
export interface WholeAnswer {
  /** Decoded of its content coding. */
  readonly body: Buffer;
  /** As the provider names it; undefined where it does not. */
  readonly contentType: string | undefined;
  /**
   * Undefined where the body is not JSON that reads the same to every parser: not UTF-8, a member name twice, nested
   * too deep, too many parts.
   */
  readonly json: unknown;
  /** Changes to the JSON, applied once, in order, before it is sent. Checks append. */
  readonly edits: JsonEdit[];
  /** Sent in place of the body. */
  replacement: Buffer | undefined;
}

export interface WrittenText {
  add(kind: AnswerText['kind'], text: string): void;
  /** The text seen, up to the bound. */
  readonly text: string;
  /** UTF-8 bytes beyond the bound, for an over-estimate. */
  readonly beyondBytes: number;
  readonly sawReasoning: boolean;
}

/** How an exchange ended; decided by the edge from its own state, never from the transport's event alone. */
export type Outcome =
  /** Denied, or the client left, or Redis failed, before anything went upstream; or nobody could be connected to. */
  | { readonly kind: 'not_forwarded'; readonly upstreamFailed?: true }
  /** The provider's answer was seen to its end. */
  | { readonly kind: 'complete' }
  /** A stream broke off: client gone, provider gone, or cut by a check. */
  | { readonly kind: 'broken_off' }
  /** Sent upstream, and nothing of the answer was seen; without `upstreamFailed` it may be the client that left. */
  | { readonly kind: 'lost'; readonly upstreamFailed?: true };
