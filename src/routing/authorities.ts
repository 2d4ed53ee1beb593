import type { Config } from '../config/schema.ts';
import type { ProviderName } from '../providers/provider.ts';

/**
 * The path by which a provider is known where its own authority was asked: `/<provider><path>`; undefined where the
 * authority is nobody's.
 */
export type AuthorityPath = (authority: string, path: string) => string | undefined;

const DEFAULT_PORT = /:(?:80|443)$/;

/** Undefined where the table is empty, and the path itself says who is asked. */
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

/** Clients may name the port that their scheme has anyway, and write a host in capitals; nothing else is the same host. */
function plainAuthority(authority: string): string {
  return authority.toLowerCase().replace(DEFAULT_PORT, '');
}
