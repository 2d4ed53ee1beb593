import { isObject, type JsonObject } from '../json/is-object.ts';
import { arrayOf, MAX_TOKENS, objectOf, tokenCount } from './dialects/fields.ts';

/** An answer's billing details besides token counts, with the provider's own names. */
export interface BillingDetails {
  readonly models: readonly string[];
  readonly tiers: readonly string[];
  readonly speeds: readonly string[];
  readonly geos: readonly string[];
  readonly toolCalls: ReadonlyMap<string, number>;
  /** True once a provider-run tool has started. Its results are input that the answer does not show. */
  readonly ranTools: boolean;
  /** The largest token count rejected as absurd, or 0. */
  readonly absurdTokens: number;
}

const TIER_HEADERS = ['x-amzn-bedrock-service-tier', 'x-gemini-service-tier'];
const SPEED_HEADER = 'x-amzn-bedrock-performanceconfig-latency';

/** Returns the tiers and speeds named in headers. Header names must be in lower case. */
export function billingInHeaders(
  headers: ReadonlyMap<string, string>,
): Pick<BillingDetails, 'tiers' | 'speeds'> {
  const speed = headers.get(SPEED_HEADER);
  return {
    tiers: TIER_HEADERS.map((name) => headers.get(name)).filter((tier) => tier !== undefined),
    speeds: speed === undefined ? [] : [speed],
  };
}

export interface BillingReader {
  /** Reads a whole answer, or one stream event. Never throws. */
  add(document: unknown): void;
  readonly bill: BillingDetails;
}

/** Answers usually name one of each. These limits bound memory. */
const MAX_NAMES = 8;
const MAX_TOOLS = 32;
const MAX_NAME_CHARS = 256;

const WRAPPED = ['response', 'message', 'metadata', 'x_groq'] as const;

/** One reader serves all dialects, because compatible servers mix them. No member name has two meanings. */
export function createBillingReader(): BillingReader {
  return new BillingDetailsReader();
}

/** A class, because it is faster than a closure and every answer needs one. */
class BillingDetailsReader implements BillingReader {
  readonly #models: string[] = [];
  readonly #tiers: string[] = [];
  readonly #speeds: string[] = [];
  readonly #geos: string[] = [];
  /** Cumulative counts, as reported. */
  readonly #running = new Map<string, number>();
  /** Counts from individual events. */
  readonly #seen = new Map<string, number>();
  #absurdTokens = 0;
  #hasBegun = false;

  add(document: unknown): void {
    if (!isObject(document)) return;
    this.#read(document);
    for (const name of WRAPPED) if (isObject(document[name])) this.#read(document[name]);
    this.#hasBegun ||= beginsCall(document);
    if (document.type === 'response.output_item.done') {
      const { type } = objectOf(document.item);
      if (isCall(type)) count(this.#seen, type, (this.#seen.get(toolOf(type)) ?? 0) + 1);
    }
  }

  get bill(): BillingDetails {
    const toolCalls = new Map(this.#running);
    for (const [name, calls] of this.#seen) count(toolCalls, name, calls);
    return {
      models: this.#models,
      tiers: this.#tiers,
      speeds: this.#speeds,
      geos: this.#geos,
      toolCalls,
      ranTools: this.#hasBegun || toolCalls.size > 0,
      absurdTokens: this.#absurdTokens,
    };
  }

  #read(document: JsonObject): void {
    note(this.#models, document.model ?? document.modelVersion);
    note(this.#tiers, document.service_tier);
    note(this.#tiers, typeOf(document.serviceTier));
    note(this.#speeds, document.speed);
    note(this.#speeds, objectOf(document.performanceConfig).latency);
    note(this.#geos, document.inference_geo);
    const usage = document.usage ?? document.usageMetadata;
    if (isObject(usage)) this.#readUsage(usage);
    this.#countTypes(document.output, isCall);
    this.#countSearches(arrayOf(document.candidates));
    this.#countExecuted(arrayOf(document.choices));
  }

  #readUsage(usage: JsonObject): void {
    note(this.#tiers, usage.service_tier);
    note(this.#tiers, typeOf(usage.serviceTier));
    note(this.#tiers, usage.trafficType);
    note(this.#speeds, usage.speed);
    note(this.#geos, usage.inference_geo);
    for (const calls of [usage.server_tool_use, usage.server_side_tool_usage_details]) {
      if (!isObject(calls)) continue;
      for (const [name, value] of Object.entries(calls)) this.#count(name, tokenCount(value));
    }
    this.#count('sources', tokenCount(usage.num_sources_used));
    this.#findAbsurd(usage);
  }

  /** Token counts are members of usage or of its direct members. */
  #findAbsurd(usage: JsonObject, isMember = false): void {
    for (const [name, value] of Object.entries(usage)) {
      if (isObject(value) && !isMember) this.#findAbsurd(value, true);
      else if (typeof value === 'number' && value > MAX_TOKENS && /token/i.test(name)) {
        this.#absurdTokens = Math.max(this.#absurdTokens, value);
      }
    }
  }

  #countSearches(candidates: readonly unknown[]): void {
    let queries = 0;
    for (const candidate of candidates) {
      queries += arrayOf(objectOf(objectOf(candidate).groundingMetadata).webSearchQueries).length;
    }
    this.#count('googleSearch', queries);
  }

  /** Groq's compound models list their own tool runs. */
  #countExecuted(choices: readonly unknown[]): void {
    for (const choice of choices) {
      const { message, delta } = objectOf(choice);
      this.#countTypes(objectOf(message ?? delta).executed_tools, (type) => typeof type === 'string');
    }
  }

  #countTypes(items: unknown, isCounted: (type: unknown) => type is string): void {
    const calls = new Map<string, number>();
    for (const item of arrayOf(items)) {
      const { type } = objectOf(item);
      if (isCounted(type)) calls.set(type, (calls.get(type) ?? 0) + 1);
    }
    for (const [name, number] of calls) this.#count(name, number);
  }

  #count(name: string, calls: number | undefined): void {
    if (calls !== undefined && calls > 0) count(this.#running, name, calls);
  }
}

/** Keeps the larger count, because usage, output items and events report the same calls. */
function count(into: Map<string, number>, written: string, calls: number): void {
  if (written.length > MAX_NAME_CHARS) return;
  const name = toolOf(written);
  if (into.size >= MAX_TOOLS && !into.has(name)) return;
  into.set(name, Math.max(calls, into.get(name) ?? 0));
}

/** Returns `web_search` for `web_search_call`, `web_search_calls` and `web_search_requests`. */
function toolOf(name: string): string {
  return name.replace(/_(?:requests|calls?)$/, '');
}

function note(into: string[], name: unknown): void {
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_CHARS) return;
  if (into.length < MAX_NAMES && !into.includes(name)) into.push(name);
}

/** Bedrock's tier is `{type}`, Gemini's a string. */
function typeOf(tier: unknown): unknown {
  return isObject(tier) ? tier.type : tier;
}

/** Matches calls such as `web_search_call`, but not client-run ones such as `function_call`. */
function isCall(type: unknown): type is string {
  return typeof type === 'string' && type.endsWith('_call') && !CLIENT_CALLS.has(type);
}

function beginsCall({ type, content_block: block, item }: JsonObject): boolean {
  if (type === 'content_block_start') return SERVER_BLOCKS.has(objectOf(block).type);
  return type === 'response.output_item.added' && isCall(objectOf(item).type);
}

const SERVER_BLOCKS: ReadonlySet<unknown> = new Set(['server_tool_use', 'mcp_tool_use']);

const CLIENT_CALLS: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'computer_call',
  'apply_patch_call',
]);
