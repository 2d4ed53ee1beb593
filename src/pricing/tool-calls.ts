import type { ProviderPricing } from '../providers/descriptor.ts';
import { providers, type ProviderName } from '../providers/registry.ts';
import { toNanoUsd } from './usd.ts';

type ToolKind = 'search' | 'files' | 'code' | 'image';

const KINDS: readonly (readonly [name: RegExp, kind: ToolKind])[] = [
  [/file_?search|collections?_?search|document_?search/, 'files'],
  [/image_?gen/, 'image'],
  [/search|browser|sources|grounding|:online|url_?context|maps/, 'search'],
  [/code|python|shell|container/, 'code'],
];

/** USD per call if neither `pricing.tools` nor the provider has a price: the highest list price of any provider. */
const LISTED_USD: Readonly<Record<ToolKind, number>> = {
  search: 0.035,
  files: 0.0025,
  code: 0.03,
  image: 0.25,
};

/** Returns undefined for unknown tools, and for those that cost only their tokens: `web_fetch`, MCP, memory. */
function kindOf(name: string): ToolKind | undefined {
  const folded = name.toLowerCase();
  return folded.includes('fetch') ? undefined : KINDS.find(([pattern]) => pattern.test(folded))?.[1];
}

export interface ToolCalls {
  readonly provider: ProviderName;
  /**
   * Tools kept in the request. At least one call to each is charged, at its price in `prices`. Reported calls to the
   * same tool or kind are charged instead if they cost more.
   */
  readonly kept: readonly string[];
  readonly reported: ReadonlyMap<string, number>;
  /** `pricing.tools`, USD per call. */
  readonly prices: Readonly<Record<string, number>>;
}

export function toolCallsNanoUsd({ provider, kept, reported, prices }: ToolCalls): number {
  const sumOf = (types: readonly string[]): number =>
    types.reduce((sum, type) => sum + toNanoUsd(prices[type] ?? 0), 0);
  const { searchUsd }: ProviderPricing = providers[provider].pricing;
  let reportedNanoUsd = 0;
  for (const [name, calls] of reported) {
    const kind = kindOf(name);
    const listed = kind === undefined ? 0 : ((kind === 'search' ? searchUsd : undefined) ?? LISTED_USD[kind]);
    const own = ownPrice(name, kept, prices) ?? ownPrice(name, Object.keys(prices), prices);
    reportedNanoUsd += calls * toNanoUsd(own ?? listed);
  }
  const names = [...reported.keys()];
  const others = kept.filter((type) => !names.some((name) => isOf(name, type)));
  return Math.max(sumOf(kept), reportedNanoUsd + sumOf(others));
}

/** Reports whether a reported call is one to a tool of this type. `web_fetch` belongs to `web_fetch_20250910`. */
function isOf(name: string, type: string): boolean {
  const kind = kindOf(name);
  return kind === undefined ? type.replace(/_\d{8}$/, '') === name : kindOf(type) === kind;
}

function ownPrice(name: string, types: readonly string[], prices: ToolCalls['prices']): number | undefined {
  const own = types.filter((type) => isOf(name, type)).flatMap((type) => prices[type] ?? []);
  return own.length === 0 ? undefined : Math.max(...own);
}
