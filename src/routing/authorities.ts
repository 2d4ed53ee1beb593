import type { Config } from '../config/schema.ts';
import type { ProviderName } from '../providers/registry.ts';

/** Returns `/<provider><path>` for a request to an authority of a provider; undefined for other authorities. */
export type AuthorityPath = (authority: string, path: string) => string | undefined;

const DEFAULT_PORT = /:(?:80|443)$/;

/** Returns undefined if no authorities are configured. The path names the provider in this case. */
export function createAuthorityPath({ proxy: { authorities } }: Config): AuthorityPath | undefined {
  const known = new Map<string, ProviderName>(
    Object.entries(authorities).map(([authority, provider]) => [plainAuthority(authority), provider]),
  );
  if (known.size === 0) return undefined;
  return (authority, path) => {
    const provider = known.get(plainAuthority(authority));
    return provider === undefined ? undefined : `/${provider}${path}`;
  };
}

/** Normalizes an authority: removes the default port of its scheme and converts the host to lower case. */
function plainAuthority(authority: string): string {
  return authority.toLowerCase().replace(DEFAULT_PORT, '');
}
