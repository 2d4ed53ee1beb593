import { MODEL_PATHS } from './openai.ts';
import type { Provider } from './registry.ts';

/** APIs that several providers offer, with the model name in the body. */
export const TARGET_APIS = ['openai', 'anthropic'] as const;
export type TargetApi = (typeof TARGET_APIS)[number];

const PATHS: Readonly<Record<TargetApi, readonly string[]>> = {
  openai: [...MODEL_PATHS, '/moderations', '/rerank'],
  anthropic: ['/v1/messages', '/v1/messages/count_tokens'],
};

export interface ApiPath {
  readonly api: TargetApi;
  readonly path: string;
}

/** Returns the common endpoint at a provider's path, or undefined if the endpoint is specific to the provider. */
export function apiPathOf(provider: Provider, path: string): ApiPath | undefined {
  for (const api of TARGET_APIS) {
    const base = provider.basePaths[api];
    if (base === undefined) continue;
    const found = PATHS[api].find((each) => isAt(provider, base, path, each));
    if (found !== undefined) return { api, path: found };
  }
  return undefined;
}

/** Clients may omit or repeat a prefix (`Descriptor.roots`). */
function isAt(provider: Provider, base: string, path: string, below: string): boolean {
  if (path === base + below) return provider.endpoint('POST', path) !== undefined;
  const prefix = path.slice(0, -below.length);
  if (!path.endsWith(below) || !provider.roots.includes(prefix)) return false;
  const operation = provider.endpoint('POST', path)?.operation;
  return operation !== undefined && provider.endpoint('POST', base + below)?.operation === operation;
}
