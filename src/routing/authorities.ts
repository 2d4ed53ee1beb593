import type { Config } from '../config/schema.ts';
import type { ProviderName } from '../providers/registry.ts';

/** Returns `/<provider><path>` for a request to a provider's authority, or undefined for other authorities. */
export type AuthorityPath = (authority: string, path: string) => string | undefined;

const DEFAULT_PORT = /:(?:80|443)$/;

/** Returns undefined if no authorities are configured. Paths then name the provider. */
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

/** Lowercases an authority and removes port 80 or 443. */
function plainAuthority(authority: string): string {
  return authority.toLowerCase().replace(DEFAULT_PORT, '');
}
