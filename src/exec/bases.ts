import type { Api } from '../providers/descriptor.ts';
import { PROVIDER_NAMES, providers, type ProviderName } from '../providers/registry.ts';

/** Returns the base path of a provider for clients of an API, or undefined if it does not speak that API. */
export function basePath(api: Api, provider: ProviderName): string | undefined {
  const path = providers[provider].basePaths[api];
  return path === undefined ? undefined : `/${provider}${path}`;
}

/** Returns every provider that speaks an API. */
export function speakersOf(api: Api): readonly ProviderName[] {
  return PROVIDER_NAMES.filter((name) => basePath(api, name) !== undefined);
}
