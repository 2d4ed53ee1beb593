import { isPlainAfar } from './address.ts';
import type { Config } from './schema.ts';

interface TokenProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/** Rules of JWTs: a demand that nobody looks at would only seem to protect. */
export function tokenProblems({ server, zsp }: Config): readonly (TokenProblem | false)[] {
  const demands = (['jwt_only', 'require_dpop'] as const).map(
    (key) =>
      zsp[key] && !zsp.enabled && { path: ['zsp', key], message: 'does nothing without zsp.enabled: true' },
  );
  const isRead = zsp.enabled && zsp.jwks_url !== '';
  return [
    ...demands,
    zsp.require_dpop &&
      server.public_url === undefined && {
        path: ['zsp', 'require_dpop'],
        message: 'needs server.public_url, the address that clients make their DPoP proofs for',
      },
    isRead &&
      /^[a-z]+:\/\/[^/?#]*@/i.test(zsp.jwks_url) && {
        path: ['zsp', 'jwks_url'],
        message: 'must carry no user and password: a key set is public',
      },
    isRead &&
      !server.insecure_dev &&
      isPlainAfar(zsp.jwks_url) && {
        path: ['zsp', 'jwks_url'],
        message:
          'must be https:// (plain http is for loopback addresses, or with SERVER_INSECURE_DEV=true): whoever answers there says which JWTs are good',
      },
  ];
}
