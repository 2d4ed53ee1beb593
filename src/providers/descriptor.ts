import type { ClientFields } from './client-headers.ts';
import type { Credential, Endpoint, Operation } from './dialect.ts';

/** Everything that the gateway knows about a provider. Other provider lists derive from it. All functions are pure. */
export interface Descriptor<Name extends string = string> extends ClientFields {
  readonly name: Name;
  /** Public API URL with base path, without trailing slash; undefined if there is none (Azure, vLLM). */
  readonly defaultBaseUrl: string | undefined;
  readonly needsKey: boolean;
  /** HTTP statuses that mean a refused key; 401 if absent. */
  readonly keyRefusals?: readonly number[];
  /**
   * HTTP statuses that mean a refused key if the body matches `text`. Because errors may quote client input (with
   * escaped quotes), `text` must begin with a quoted member.
   */
  readonly keyRefusedIn?: { readonly statuses: readonly number[]; readonly text: RegExp };
  /** Path prefixes before the part that SDKs append, most common first; may be ''. Clients may omit or repeat them. */
  readonly roots: readonly string[];
  /** Base path that clients of each API expect. Unsupported APIs are absent. */
  readonly basePaths: { readonly [Name in Api]?: string };
  /** Matches paths of a self-hosted provider that use a model but are not endpoints. Operators may open them. */
  readonly openable?: RegExp;
  /** Mixed-case verbs that follow a colon at the end of paths. */
  readonly verbs?: readonly string[];
  /** Splits a path that names the model into prefix, name and suffix. */
  readonly modelInPath?: RegExp;
  /** For self-hosted providers, plain HTTP is allowed and models cost 0 unless overridden. */
  readonly selfHosted: boolean;
  readonly errorShape: ErrorShape;
  /** Exceptions to `errorShape` by path, without the provider's segment. The first match wins. See `ERROR_SHAPES`. */
  readonly errorShapesAt?: readonly (readonly [RegExp, ErrorShape])[];
  readonly exec: ExecVariables;
  readonly pricing: ProviderPricing;
  readonly traces?: TraceNames;
  readonly objects?: ObjectNames;
  /**
   * Returns the endpoint at a path below the base path, or undefined if the gateway cannot read it. `method` is GET or
   * POST. `query` selects the answer format of a few endpoints.
   */
  endpoint(method: string, path: string, query?: string): Endpoint | undefined;
  /** Returns the request header (in lower case) that makes the cost unbounded, such as a service tier. */
  unboundedBy?(headers: ReadonlyMap<string, string>): string | undefined;
  /** Returns how to send this credential upstream. Throws GatewayError invalid_request if it is malformed. */
  credential(key: string): Credential;
}

export type Api = 'openai' | 'anthropic' | 'gemini';

export type ErrorShape = 'openai' | 'anthropic' | 'gemini' | 'bedrock' | 'cohere' | 'mistral' | 'ollama';

/** Environment variables that `gateway exec` reads and sets. Base URLs are paths below the provider's segment. */
export interface ExecVariables {
  /** Variables that usually contain the provider's key, most common first. */
  readonly keys: readonly string[];
  /** Base URL variables of the provider's own clients, with their paths. */
  readonly addresses?: Readonly<Record<string, string>>;
  /** Base URL variables of clients that do not send the run's key. The URL contains it. */
  readonly keyedAddresses?: Readonly<Record<string, string>>;
  /** Variables that would send clients to another service. */
  readonly detours?: readonly string[];
  /** A model for programs that require one. */
  readonly model?: string;
  /** Returns the provider's key if it is spread over several variables. Defaults to the first of `keys` that is set. */
  keyIn?(value: (name: string) => string): string | undefined;
  /** Returns the variables that carry the run's key. Defaults to all of `keys`. */
  keyed?(key: string): Readonly<Record<string, string>>;
}

/** Multiples of the list price by model. The first match applies. */
export type PriceMultiples = readonly (readonly [model: RegExp, times: number])[];

export type OwnPrice = 'free' | 'unknown' | { readonly requestNanoUsd: number };

export interface ProviderPricing {
  /** Upper bound of output speed, with a margin. Default for `pricing.output_tokens_per_second`. */
  readonly outputTokensPerSecond: number;
  /** The provider's name in the price table, if it differs. */
  readonly table?: string;
  /** Returns the names under which the price table may list a model, best first. */
  tableNames?(model: string): readonly string[];
  /** Vendor price tables by model prefix (`vendor/`), used if the provider's own table has no price. */
  readonly vendorTables?: ReadonlyMap<string, string>;
  /** True if models use OpenAI's tokenizers, with which the gateway counts tokens. */
  readonly countsAsOpenai?: true;
  /** Returns a model's price if the price table lacks it or must be overridden. */
  ownPrice?(model: string): OwnPrice | undefined;
  /** USD per provider-run search, if the provider's price page lists it. */
  readonly searchUsd?: number;
  readonly maxImageTokens?: number;
  /** Returns the maximum number of tokens of an image, or undefined if its size in pixels does not limit them. */
  imageTokens?(width: number, height: number): number | undefined;
  /** Service tiers that cost more than the list price. */
  readonly tiers?: Readonly<Record<string, PriceMultiples>>;
  /** Multiples of the list price by model, for regional base URLs. */
  readonly regional?: { readonly host: RegExp; readonly times: PriceMultiples };
  /** Reports whether the provider bills this error because it has processed the request. Absent if it never does. */
  billsError?(error: ErrorAnswer): boolean;
  /** Minimum in nano-USD that the provider bills for a request refused under its guidelines. */
  readonly refusalFees?: { readonly [Name in Operation]?: number };
}

export interface ErrorAnswer {
  readonly operation: Operation;
  readonly status: number;
  /** The beginning of the body, or undefined if no body was received. */
  readonly text: string | undefined;
}

/** How a provider names stored objects, in addition to the names common to all providers (`stored-objects.ts`). */
export interface ObjectNames {
  /** Members that name a stored object at this provider, although they may be harmless elsewhere. */
  readonly ids?: ReadonlySet<string>;
  /** Members that do not name a stored object, although their names or values look like ids. */
  readonly harmless?: ReadonlySet<string>;
  /** The member with an object's own id in an answer, if it is not `id`. */
  readonly own?: string;
  /** The list member with the next page's token, and the query parameter for it. Absent if lists have `has_more`. */
  readonly nextPage?: readonly [member: string, parameter: string];
  /** The query parameter for the last id of a page. Defaults to `after`. */
  readonly after?: string;
  /** Path segments, such as `messages`, followed by a part of the preceding object rather than by a separate object. */
  readonly within?: ReadonlySet<string>;
  /** Storage domains that the provider opens with the account's permissions. */
  readonly storage?: readonly string[];
}

/** Names by which recorded traces refer to a provider (`gateway verify`). */
export interface TraceNames {
  /** Other names: GenAI semantic conventions, LiteLLM, LangChain. */
  readonly aliases?: readonly string[];
  /** Matches the provider's models in traces that do not name the provider. */
  readonly models?: RegExp;
}

export function tilesOf(width: number, height: number, edge: number): number {
  return Math.ceil(width / edge) * Math.ceil(height / edge);
}
