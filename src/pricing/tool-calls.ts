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

/** Returns undefined for tools that cost only their tokens: fetching, MCP, memory. */
function kindOf(name: string): ToolKind | undefined {
  const folded = name.toLowerCase();
  return folded.includes('fetch') ? undefined : KINDS.find(([pattern]) => pattern.test(folded))?.[1];
}

export interface ToolCalls {
  readonly provider: ProviderName;
  /**
   * Tools kept in the request. If the answer reports no calls of a tool, one call is charged at its price in `prices`.
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
  const kinds = new Set<ToolKind | undefined>();
  let reportedNanoUsd = 0;
  for (const [name, calls] of reported) {
    const kind = kindOf(name);
    if (kind === undefined) continue;
    kinds.add(kind);
    const own = ownPrice(kind, kept, prices) ?? ownPrice(kind, Object.keys(prices), prices);
    const listed = (kind === 'search' ? searchUsd : undefined) ?? LISTED_USD[kind];
    reportedNanoUsd += calls * toNanoUsd(own ?? listed);
  }
  return Math.max(sumOf(kept), reportedNanoUsd + sumOf(kept.filter((type) => !kinds.has(kindOf(type)))));
}

function ownPrice(kind: ToolKind, types: readonly string[], prices: ToolCalls['prices']): number | undefined {
  const own = types.filter((type) => kindOf(type) === kind).flatMap((type) => prices[type] ?? []);
  return own.length === 0 ? undefined : Math.max(...own);
}
