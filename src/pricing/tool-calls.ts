import type { ProviderPricing } from '../providers/descriptor.ts';
import { providers, type ProviderName } from '../providers/registry.ts';
import { toNanoUsd } from './usd.ts';

/** What calls of a provider's own tools are told apart by: their names differ from provider to provider. */
type ToolKind = 'search' | 'files' | 'code' | 'image';

const KINDS: readonly (readonly [name: RegExp, kind: ToolKind])[] = [
  [/file_?search|collections?_?search|document_?search/, 'files'],
  [/image_?gen/, 'image'],
  [/search|browser|sources|grounding|:online|url_?context|maps/, 'search'],
  [/code|python|shell|container/, 'code'],
];

/** USD per call where `pricing.tools` says nothing: the dearest that any provider lists. */
const LISTED_USD: Readonly<Record<ToolKind, number>> = {
  search: 0.035,
  files: 0.0025,
  code: 0.03,
  image: 0.25,
};
/** Undefined for tools that cost nothing but their tokens: fetching, MCP, memory. */
function kindOf(name: string): ToolKind | undefined {
  const folded = name.toLowerCase();
  return folded.includes('fetch') ? undefined : KINDS.find(([pattern]) => pattern.test(folded))?.[1];
}

export interface ToolCalls {
  readonly provider: ProviderName;
  /** Tools that were left in the request: one call of each is charged where an answer tells of none. */
  readonly kept: readonly string[];
  /** How many calls the answer tells of. */
  readonly told: ReadonlyMap<string, number>;
  /** `pricing.tools`, USD per call. */
  readonly prices: Readonly<Record<string, number>>;
}

/** What the provider's own tools cost, in nano-USD. */
export function toolCallsNanoUsd({ provider, kept, told, prices }: ToolCalls): number {
  const sumOf = (types: readonly string[]): number =>
    types.reduce((sum, type) => sum + toNanoUsd(prices[type] ?? 0), 0);
  const { searchUsd }: ProviderPricing = providers[provider].pricing;
  const kinds = new Set<ToolKind | undefined>();
  let toldNanoUsd = 0;
  for (const [name, calls] of told) {
    const kind = kindOf(name);
    if (kind === undefined) continue;
    kinds.add(kind);
    const own = ownPrice(kind, kept, prices) ?? ownPrice(kind, Object.keys(prices), prices);
    const listed = (kind === 'search' ? searchUsd : undefined) ?? LISTED_USD[kind];
    toldNanoUsd += calls * toNanoUsd(own ?? listed);
  }
  return Math.max(sumOf(kept), toldNanoUsd + sumOf(kept.filter((type) => !kinds.has(kindOf(type)))));
}

/** The operator's dearest price of tools of one kind. */
function ownPrice(kind: ToolKind, types: readonly string[], prices: ToolCalls['prices']): number | undefined {
  const own = types.filter((type) => kindOf(type) === kind).flatMap((type) => prices[type] ?? []);
  return own.length === 0 ? undefined : Math.max(...own);
}
